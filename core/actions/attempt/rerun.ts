import { badRequest, notFound } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { nextJobNumbers } from "../../ids.ts";
import { put } from "../../table/write.ts";
import { formerAttemptKey, type Run, type RunJob } from "../actions.table.ts";
import { isOver, isRunOver, type JobState, settleJobs } from "../job/job-states.ts";
import { changeRun, type RunChange } from "../run/change-run.ts";
import { jobBlockWrite } from "../run/create-run.ts";

/** The most attempts at a run: each is kept as it ended. */
export const mostAttempts = 50;

/**
 * Runs jobs of a run that is over again, with all that need them, as another attempt (semantics §63.3). BadRequest while
 * it is not over, when there is nothing to run again, and after the most attempts.
 */
export async function rerunJobs(forge: Forge, run: Run, isWanted: (job: RunJob) => boolean): Promise<Run> {
  const again = jobsToRerun(run, isWanted);
  const first = await nextJobNumbers(forge.table, run.repositoryId, again.size);
  const after = await changeRun(forge, run.repositoryId, run.number, (now) => {
    if (now.v !== run.v) throw badRequest("the run has changed meanwhile; look at it again");
    return nextAttempt(now, again, first);
  });
  if (after === undefined) throw notFound(`run does not exist [id: ${run.id}]`);
  return after;
}

/** The numbers of the jobs that run again. */
function jobsToRerun(run: Run, isWanted: (job: RunJob) => boolean): ReadonlySet<number> {
  if (!isRunOver(run)) throw badRequest("the run is not over yet: cancel it, or wait");
  if (run.problem !== undefined) throw badRequest(`the workflow can't be run: ${run.problem}`);
  if (run.attempt >= mostAttempts) throw badRequest(`a run has at most ${mostAttempts} attempts`);
  const keys = new Set(run.jobs.filter(isWanted).map(({ key }) => key));
  const numbers = new Set(run.jobs.filter(isWanted).map(({ number }) => number));
  if (numbers.size === 0) throw badRequest("there is no such job to run again");
  for (let before = -1; numbers.size > before; ) {
    before = numbers.size;
    for (const { key, number, needs } of run.jobs) {
      if (!needs.some((need) => keys.has(need))) continue;
      keys.add(key);
      numbers.add(number);
    }
  }
  return numbers;
}

function nextAttempt(run: Run, again: ReadonlySet<number>, first: number): RunChange {
  const attempt = run.attempt + 1;
  let next = first;
  const jobs = run.jobs.map((job): RunJob => {
    if (!again.has(job.number)) return job;
    const { runnerId: _, ...kept } = job;
    const number = next;
    next += 1;
    return { ...kept, number, attempt, state: "blocked", startedAt: 0, stoppedAt: 0 };
  });
  const former: Run = { ...run, ...formerAttemptKey(run.repositoryId, run.number, run.attempt) };
  return {
    set: { attempt, jobs: settleJobs(jobs), startedAt: 0, stoppedAt: 0 },
    writes: [put(former), jobBlockWrite({ ...run, attempt }, first, again.size)],
  };
}

/** Jobs that did not succeed. */
export const hasFailed = ({ state }: { readonly state: JobState }): boolean =>
  isOver(state) && state !== "success" && state !== "skipped";
