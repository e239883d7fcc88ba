import { nowSeconds } from "../../clock.ts";
import type { Forge } from "../../forge.ts";
import type { Run, RunJob } from "../actions.table.ts";
import { changeRun } from "../run/change-run.ts";
import { isOver, type JobEnd, type JobState, settleJobs } from "./job-states.ts";

/**
 * Ends a running job: the jobs that waited for it start or are skipped. A job that is over stays as it is. Answers the
 * job's state afterwards, by which its runner learns of a cancellation; undefined when no such job runs in this run.
 */
export async function updateJobState(
  forge: Forge,
  { repositoryId, runNumber, jobNumber }: JobPlace,
  end: JobEnd,
  stoppedAt = nowSeconds(forge.clock),
): Promise<JobState | undefined> {
  const run = await changeRun(forge, repositoryId, runNumber, ({ jobs }) => {
    const job = jobs.find(({ number }) => number === jobNumber);
    if (job?.state !== "running") return undefined;
    const ended: RunJob = { ...job, state: end, stoppedAt };
    return { set: { jobs: settleJobs(jobs.map((one) => (one === job ? ended : one))) } };
  });
  return run?.jobs.find(({ number }) => number === jobNumber)?.state;
}

/** One job of a repository's run. */
export interface JobPlace {
  readonly repositoryId: number;
  readonly runNumber: number;
  readonly jobNumber: number;
}

/**
 * Cancels what of a run is not over yet (semantics §64.5): a runner learns it with its next word. Answers the run; one
 * that is over stays as it is.
 */
export const cancelRun = (
  forge: Forge,
  { repositoryId, number }: Pick<Run, "repositoryId" | "number">,
): Promise<Run | undefined> =>
  changeRun(forge, repositoryId, number, ({ jobs }) => {
    if (jobs.every(({ state }) => isOver(state))) return undefined;
    const stoppedAt = nowSeconds(forge.clock);
    return {
      set: {
        jobs: jobs.map(
          (job): RunJob => (isOver(job.state) ? job : { ...job, state: "cancelled", stoppedAt }),
        ),
      },
      unset: ["needsApproval", "isQueued"],
    };
  });
