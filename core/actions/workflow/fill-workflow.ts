import { defined } from "../../defined.ts";
import type { NewJob } from "../run/create-run.ts";
import { expandJobs } from "./expand-jobs.ts";
import { fillText, type Scope } from "./expression.ts";
import { type Workflow, WorkflowMistake } from "./workflow.ts";

/** A workflow, and what its expressions may ask for. */
export interface UnfilledWorkflow {
  readonly workflow: Pick<Workflow, "runName" | "concurrency" | "jobs">;
  readonly scope: Scope;
}

/** What a run takes from its workflow: the title and the group are empty when the file names none. */
export interface FilledWorkflow {
  readonly runName: string;
  readonly group: string;
  /** Absent when the file says nothing. */
  readonly cancelsInProgress?: boolean;
  /** Why there are no jobs. */
  readonly jobs: readonly NewJob[] | { readonly problem: string };
}

/** Fills a workflow in. It may take long for a hostile one: `fillWorkflow` of the task bounds it. */
export function fillWorkflowHere({ workflow, scope }: UnfilledWorkflow): FilledWorkflow {
  const { runName = "", concurrency } = workflow;
  const { group = "", cancelsWhen, cancelsInProgress } = concurrency;
  const isTrue =
    cancelsWhen === undefined ? cancelsInProgress : fillText(cancelsWhen, scope).trim() === "true";
  return {
    runName: fillText(runName, scope).trim(),
    group: fillText(group, scope).trim(),
    ...defined({ cancelsInProgress: isTrue }),
    jobs: jobsOf(workflow, scope),
  };
}

function jobsOf(workflow: Pick<Workflow, "jobs">, scope: Scope): FilledWorkflow["jobs"] {
  try {
    return expandJobs(workflow, scope);
  } catch (error) {
    if (error instanceof WorkflowMistake) return { problem: error.message };
    throw error;
  }
}
