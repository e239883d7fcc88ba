import type { Task } from "../../compute/task.ts";
import { areSmallTexts, type ContentPair } from "../../git/diff/file-tasks.ts";
import type { LinePlace } from "./hunk.ts";

const deadlineMs = 5_000;
const isSmall = ({ before, after }: ContentPair): boolean => areSmallTexts([before, after]);

/** As `hunksUpTo`. */
export const hunksUpToTask: Task<
  ContentPair & { readonly places: readonly LinePlace[] },
  (string | undefined)[]
> = {
  name: "hunks-up-to",
  deadlineMs,
  isSmall,
  run: async ({ places, ...pair }) => (await import("./hunk.ts")).hunksUpTo(pair, places),
};

/** As `linesBefore`. */
export const linesBeforeTask: Task<
  ContentPair & { readonly lines: readonly number[] },
  (number | undefined)[]
> = {
  name: "lines-before",
  deadlineMs,
  isSmall,
  run: async ({ lines, ...pair }) => (await import("./lines-before.ts")).linesBefore(pair, lines),
};

/** As `changedLines`. */
export const changedLinesTask: Task<ContentPair, Buffer> = {
  name: "changed-lines",
  deadlineMs,
  isSmall,
  run: async (pair) => (await import("./changed-lines.ts")).changedLines(pair),
};
