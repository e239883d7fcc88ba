import type { Task } from "#core/compute/task";

interface SentForm {
  readonly bytes: Buffer;
  readonly contentType: string;
}

const smallBytes = 64 * 1024;

/** The names and texts of a form; files in it are ignored. Undefined for bytes that are no form. */
export const readFormTask: Task<SentForm, readonly (readonly [name: string, text: string])[] | undefined> = {
  name: "read-form",
  deadlineMs: 5_000,
  isSmall: ({ bytes }) => bytes.length <= smallBytes,
  async run({ bytes, contentType }) {
    const sent = new Response(new Uint8Array(bytes), { headers: { "content-type": contentType } });
    const form = await sent.formData().catch(() => undefined);
    if (form === undefined) return undefined;
    const texts: (readonly [string, string])[] = [];
    for (const [name, value] of form) if (typeof value === "string") texts.push([name, value]);
    return texts;
  },
};
