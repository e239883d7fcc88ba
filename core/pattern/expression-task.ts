import type { Task } from "../compute/task.ts";

/** As `expressionProblem`: without counted repetitions an expression is compiled within milliseconds. */
export const expressionProblemTask: Task<{ readonly source: string }, string | undefined> = {
  name: "expression-problem",
  deadlineMs: 5_000,
  isSmall: ({ source }) => !source.includes("{"),
  run: async ({ source }) => (await import("./patterns.ts")).expressionProblem(source),
};
