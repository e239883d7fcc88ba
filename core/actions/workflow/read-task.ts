import type { CallersCompute } from "../../compute/compute.ts";
import { type Task, TaskEnded } from "../../compute/task.ts";
import type { WorkflowReading } from "./workflow.ts";

/** Longer files are not read. */
export const mostWorkflowBytes = 128 * 1024;
const deadlineMs = 2_000;
/** As of issue templates: longer texts may take hundreds of milliseconds. */
const smallCharacters = 4_096;

/** Reads one workflow. The code that does is loaded only then. */
export const readWorkflowTask: Task<{ readonly text: string }, WorkflowReading> = {
  name: "read-workflow",
  deadlineMs,
  isSmall: ({ text }) => text.length <= smallCharacters,
  async run({ text }) {
    const { readWorkflowText } = await import("./read-workflow.ts");
    return readWorkflowText(text);
  },
};

/** The workflow in a text, or what is wrong with it, also when it takes too long to read. */
export const readWorkflow = (compute: CallersCompute, text: string): Promise<WorkflowReading> =>
  compute(readWorkflowTask, { text }).catch((error: unknown) => {
    if (error instanceof TaskEnded && error.reason !== "failed")
      return { problem: "it takes too long to read" };
    throw error;
  });

interface CronTimes {
  readonly crons: readonly string[];
  readonly afterSeconds: number;
}

/** When cron texts are next due. A text that never is makes its search long. */
export const nextTimesTask: Task<CronTimes, (number | undefined)[]> = {
  name: "next-cron-times",
  deadlineMs,
  async run({ crons, afterSeconds }) {
    const { nextCronTime } = await import("./internal/cron.ts");
    return crons.map((text) => nextCronTime(text, afterSeconds));
  },
};

/** The next time of each cron text after a time, in whole seconds; undefined for one that can't be read or never is. */
export const nextCronTimes = (
  compute: CallersCompute,
  crons: readonly string[],
  afterSeconds: number,
): Promise<readonly (number | undefined)[]> =>
  crons.length === 0
    ? Promise.resolve([])
    : compute(nextTimesTask, { crons, afterSeconds }).catch((error: unknown) => {
        if (error instanceof TaskEnded && error.reason !== "failed") return crons.map(() => undefined);
        throw error;
      });
