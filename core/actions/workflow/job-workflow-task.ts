import type { CallersCompute } from "../../compute/compute.ts";
import { type Task, TaskEnded } from "../../compute/task.ts";
import type { JobSource, JobWorkflow } from "./job-workflow.ts";

/** As for reading a workflow: longer texts may take hundreds of milliseconds. */
const smallCharacters = 4_096;

/** Reduces a workflow to one job. The code that does is loaded only then. */
export const jobWorkflowTask: Task<JobSource, JobWorkflow> = {
  name: "job-workflow",
  deadlineMs: 2_000,
  isSmall: ({ text }) => text.length <= smallCharacters,
  async run(source) {
    const { jobWorkflow } = await import("./job-workflow.ts");
    return jobWorkflow(source);
  },
};

/** The workflow of one job, or what is wrong with the file, also when it takes too long to read. */
export const workflowOfJob = (compute: CallersCompute, source: JobSource): Promise<JobWorkflow> =>
  compute(jobWorkflowTask, source).catch((error: unknown) => {
    if (error instanceof TaskEnded && error.reason !== "failed")
      return { problem: "it takes too long to read" };
    throw error;
  });
