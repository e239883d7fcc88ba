import type { Task } from "../../../compute/task.ts";
import type { FilePatch, ParsedPatch } from "./parse-patch.ts";

const deadlineMs = 5_000;
const smallBytes = 64 * 1024;
/** Of text: some ten hunks. */
const smallHunks = 4 * 1024;

/** Reads a patch, latin1, as far as one file beyond `mostFiles`. */
export const parsePatchTask: Task<{ readonly text: string; readonly mostFiles: number }, ParsedPatch> = {
  name: "parse-patch",
  deadlineMs,
  isSmall: ({ text }) => text.length <= smallBytes && !text.includes("GIT binary patch"),
  run: async ({ text, mostFiles }) => (await import("./parse-patch.ts")).parsePatch(text, mostFiles),
};

/** A file, its patch, and how many lines the search for places may look at. */
export interface FileToPatch {
  readonly before: Buffer;
  readonly file: Pick<FilePatch, "hunks" | "binary">;
  readonly lines: number;
}

/** The file after the patch, absent when it does not apply, and how many lines may still be looked at. */
export interface PatchedContent {
  readonly content?: Buffer;
  readonly lines: number;
}

/** Applies a patch to one file. */
export const applyPatchTask: Task<FileToPatch, PatchedContent> = {
  name: "apply-patch",
  deadlineMs,
  isSmall: ({ before, file, lines }) =>
    file.binary === undefined && file.hunks.length <= smallHunks && before.length <= smallBytes && lines > 0,
  async run({ before, file: { hunks, binary }, lines }) {
    if (binary !== undefined) {
      const { applyBinary } = await import("./binary-patch.ts");
      const { buffer, byteOffset, length } = binary.data; // bytes inside of members arrive as plain ones
      const data = Buffer.from(buffer, byteOffset, length);
      return patched(applyBinary({ ...binary, data }, before), lines);
    }
    if (hunks === "") return { content: before, lines };
    const { applyHunks, readHunks } = await import("./hunk.ts");
    const budget = { lines };
    const after = applyHunks(before.toString("latin1"), readHunks(hunks), budget);
    return patched(after === undefined ? undefined : Buffer.from(after, "latin1"), budget.lines);
  },
};

const patched = (content: Buffer | undefined, lines: number): PatchedContent =>
  content === undefined ? { lines } : { content, lines };
