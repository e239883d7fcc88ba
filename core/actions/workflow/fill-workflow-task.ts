import type { CallersCompute } from "../../compute/compute.ts";
import { type Task, TaskEnded } from "../../compute/task.ts";
import type { FilledWorkflow, UnfilledWorkflow } from "./fill-workflow.ts";
import type { WorkflowReading } from "./workflow.ts";

const smallCharacters = 4_096;

/** Fills a workflow in. The code that does is loaded only then. */
export const fillWorkflowTask: Task<UnfilledWorkflow, FilledWorkflow> = {
  name: "fill-workflow",
  deadlineMs: 2_000,
  // One expression may ask for the whole payload again and again, and each combination of a matrix asks anew.
  isSmall({ workflow }) {
    const text = JSON.stringify(workflow);
    return text.length <= smallCharacters && !text.includes("${{") && !text.includes('"matrix"');
  },
  async run(unfilled) {
    const { fillWorkflowHere } = await import("./fill-workflow.ts");
    return fillWorkflowHere(unfilled);
  },
};

/** A workflow filled in, or what is wrong with its file, also when it takes too long to fill in. */
export const fillWorkflow = async (
  compute: CallersCompute,
  reading: WorkflowReading,
  scope: UnfilledWorkflow["scope"],
): Promise<FilledWorkflow> => {
  if ("problem" in reading) return failed(reading.problem);
  return compute(fillWorkflowTask, { workflow: reading.workflow, scope }).catch((error: unknown) => {
    if (error instanceof TaskEnded && error.reason !== "failed") {
      return failed("its matrices and expressions take too long to fill in");
    }
    throw error;
  });
};

const failed = (problem: string): FilledWorkflow => ({ runName: "", group: "", jobs: { problem } });
