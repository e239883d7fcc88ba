import type { Task } from "../../compute/task.ts";
import { haveMoreLines } from "./lines/lines.ts";
import { type IgnoredWhitespace, withoutWhitespace } from "./lines/whitespace.ts";

/** A file's content before and after a change. */
export interface ContentPair {
  readonly before: Buffer;
  readonly after: Buffer;
}

/** Comparing so much takes at most some milliseconds, whatever the lines are. */
const small = { bytes: 256 * 1024, lines: 2_000 };

/** Whether some texts are compared within milliseconds. */
export const areSmallTexts = (texts: readonly Buffer[]): boolean =>
  texts.reduce((sum, { length }) => sum + length, 0) <= small.bytes && !haveMoreLines(texts, small.lines);

const isSmall = ({ before, after }: ContentPair): boolean => areSmallTexts([before, after]);
const deadlineMs = 5_000;

/** How many lines a change adds and deletes, and the cost of counting them. */
export interface LineCounts {
  readonly added: number;
  readonly deleted: number;
  /** As in `LineDiff`. */
  readonly steps: number;
}

/** Counts the lines that a text's change adds and deletes. */
export const countLinesTask: Task<ContentPair & { readonly ignored?: IgnoredWhitespace }, LineCounts> = {
  name: "count-lines",
  deadlineMs,
  isSmall,
  async run({ before, after, ignored }) {
    const { diffLines } = await import("./lines/line-diff.ts"); // the comparing code is loaded where it is used
    const counted = (text: Buffer) => (ignored === undefined ? text : withoutWhitespace(text, ignored));
    const { changes, steps } = diffLines(counted(before), counted(after));
    return {
      added: changes.reduce((sum, { newCount }) => sum + newCount, 0),
      deleted: changes.reduce((sum, { oldCount }) => sum + oldCount, 0),
      steps,
    };
  },
};

/**
 * The hunks of a text's change in the form of `git diff`, with so many lines of context; empty when nothing differs.
 */
export const writeHunksTask: Task<ContentPair & { readonly context: number }, Buffer> = {
  name: "write-hunks",
  deadlineMs,
  isSmall,
  async run({ before, after, context }) {
    const [{ diffLines }, { unifiedHunks }] = await Promise.all([
      import("./lines/line-diff.ts"),
      import("./patch/unified.ts"),
    ]);
    return Buffer.concat([...unifiedHunks(diffLines(before, after), context)]);
  },
};

/** A binary file's change in the form that `git apply` takes. */
export const writeBinaryTask: Task<ContentPair, Buffer> = {
  name: "write-binary",
  deadlineMs,
  isSmall: ({ before, after }) => before.length + after.length <= small.bytes,
  run: async ({ before, after }) => (await import("./patch/binary-patch.ts")).binaryPatch(before, after),
};
