import type { Forge } from "../../forge.ts";
import { findUserById } from "../../user/find.ts";
import { ghostUser } from "../../user/system-users.ts";
import type { PullPart, PullRequest } from "../pull.table.ts";

/*
 * A request that was made by a push to `refs/for` has no head branch. In the place of its name stand the user's id and
 * the topic: `:7/topic`. No branch has such a name, since `:` is in none.
 */
const mark = ":";

/** Stands in the place of a head branch for what a user pushed under a topic. */
export const pushedHead = (userId: number, topic: string): string => `${mark}${userId}/${topic}`;

/** Whether a request was made by a push to `refs/for`, and has no head branch. */
export const hasPushedHead = ({ head }: Pick<PullPart, "head">): boolean => head.startsWith(mark);

/** The head of a request for people: its branch, or `<user>/<topic>`. */
export const headNameOf = ({ head }: Pick<PullPart, "head">, author: string): string =>
  hasPushedHead({ head }) ? author + head.slice(head.indexOf("/")) : head;

/** The same, with the author's present name. */
export async function findHeadName(forge: Forge, { authorId, pull }: PullRequest): Promise<string> {
  if (!hasPushedHead(pull)) return pull.head;
  return headNameOf(pull, ((await findUserById(forge, authorId)) ?? ghostUser).name);
}
