import type { Task } from "../../compute/task.ts";

/** The text of a CODEOWNERS file, and the paths of the files that change. */
export interface OwnedChange {
  readonly text: string;
  readonly paths: readonly string[];
}

/** Steps of all expressions at all characters of the paths, at some 20 ns. */
const smallSteps = 100_000;

/**
 * The owners of what changes, as `ownersOf` finds them. It runs on a thread, because an expression of 500 characters takes
 * up to half a second to compile.
 */
export const ownersOfTask: Task<OwnedChange, string[]> = {
  name: "owners-of",
  deadlineMs: 5_000,
  isSmall: ({ text, paths }) =>
    !text.includes("{") && text.length * paths.reduce((sum, { length }) => sum + length, 0) <= smallSteps,
  run: async (change) => (await import("./owners-of.ts")).ownersOf(change),
};
