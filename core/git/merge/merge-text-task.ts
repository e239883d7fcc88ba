import type { Task } from "../../compute/task.ts";
import { areSmallTexts } from "../diff/file-tasks.ts";
import type { MarkerOptions, MergedText } from "./merge-text.ts";

/** Three versions of a text, and the marks for conflicts between the last two. */
export interface TextsToMerge {
  readonly base: Buffer;
  readonly ours: Buffer;
  readonly theirs: Buffer;
  readonly marks: MarkerOptions;
}

/** Merges a text. */
export const mergeTextTask: Task<TextsToMerge, MergedText> = {
  name: "merge-text",
  deadlineMs: 10_000,
  isSmall: ({ base, ours, theirs }) => areSmallTexts([base, ours, theirs]),
  run: async ({ base, ours, theirs, marks }) =>
    (await import("./merge-text.ts")).mergeText(base, ours, theirs, marks),
};
