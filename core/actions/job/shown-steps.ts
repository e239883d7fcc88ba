import type { JobTask, RunJob, TaskStep } from "../actions.table.ts";
import { isOver } from "./job-states.ts";

/**
 * The steps of a job that a runner has taken. Once the job is over none goes on: a step that its runner has not ended,
 * because it vanished or was told to stop, ends with the job, and one that never began was skipped.
 */
export function shownSteps(
  { steps }: Pick<JobTask, "steps">,
  { state, stoppedAt }: Pick<RunJob, "state" | "stoppedAt">,
): readonly TaskStep[] {
  if (!isOver(state)) return steps;
  return steps.map((step) => {
    if (isOver(step.state)) return step;
    return { ...step, state: step.state === "running" ? state : "skipped", stoppedAt };
  });
}
