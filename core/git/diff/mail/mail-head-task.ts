import type { Task } from "../../../compute/task.ts";
import type { Identity } from "../../format/identity.ts";
import type { ObjectId } from "../../format/object-format.ts";

/** A commit that becomes a mail, and its place among the mails. */
export interface MailToHead {
  readonly id: ObjectId;
  readonly author: Identity;
  readonly text: string;
  readonly place: { readonly number: number; readonly of: number };
}

const smallCharacters = 32 * 1024;

/** Writes what a mail has above its patch. Messages and names may have a megabyte, and are encoded byte by byte. */
export const mailHeadTask: Task<MailToHead, string> = {
  name: "mail-head",
  deadlineMs: 5_000,
  isSmall: ({ author, text }) => author.name.length + author.email.length + text.length <= smallCharacters,
  run: async (mail) => (await import("./mail-head.ts")).mailHead(mail),
};
