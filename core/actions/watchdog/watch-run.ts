import { nowSeconds } from "../../clock.ts";
import type { Forge } from "../../forge.ts";
import type { DueAnswer } from "../../jobs/due.ts";
import { equals, exists } from "../../table/condition.ts";
import { keyText, update, type Write } from "../../table/write.ts";
import { type JobTask, type Run, type RunJob, taskKey } from "../actions.table.ts";
import { isRunOver, settleJobs } from "../job/job-states.ts";
import { saveRun } from "../run/change-run.ts";

type Tasks = ReadonlyMap<number, JobTask>;

/** A transaction has room for the tasks of so many jobs that run: the next look ends the others. */
const mostFailedAtOnce = 20;

/**
 * Ends what of a run nobody works on (semantics §60.4): a job that runs has failed when its runner has been silent for
 * too long, or when it goes on for too long, and one that has waited or was blocked for too long is cancelled. A word of
 * the runner at the same time keeps its job. Answers when to look again.
 */
export async function watchRun(forge: Forge, run: Run): Promise<DueAnswer> {
  if (isRunOver(run)) return true; // its end has planned another look
  const tasks = await runningTasks(forge, run);
  const now = nowSeconds(forge.clock);
  const isLost = (job: RunJob) => deadlineOf(forge, run, job, tasks) <= now;
  const silent = run.jobs.filter((job) => job.state === "running" && isLost(job));
  const abandoned = run.jobs.filter((job) => job.state !== "running" && isLost(job));
  const lost = [...silent.slice(0, mostFailedAtOnce), ...abandoned];
  if (lost.length === 0) return { againAtMs: nextLook(forge, run, tasks) * 1000 };
  const ended = await endJobs(forge, run, lost, tasks);
  if (ended === undefined) return false;
  forge.log.info("actions:jobs-ended", {
    repositoryId: run.repositoryId,
    run: run.number,
    jobs: lost.length,
  });
  return isRunOver(ended) || { againAtMs: nextLook(forge, ended, tasks) * 1000 };
}

/** The tasks of the jobs that run, by the numbers of the jobs. */
async function runningTasks({ table }: Forge, { repositoryId, jobs }: Run): Promise<Tasks> {
  const numbers = jobs.filter(({ state }) => state === "running").map(({ number }) => number);
  const found = await table.getAll<JobTask>(numbers.map((number) => taskKey(repositoryId, number)));
  return new Map(
    numbers.flatMap((number): [number, JobTask][] => {
      const task = found.get(keyText(taskKey(repositoryId, number)));
      return task === undefined ? [] : [[number, task]];
    }),
  );
}

/** When a job is given up, unless something happens before; infinite once it is over. */
function deadlineOf({ config }: Forge, run: Run, job: RunJob, tasks: Tasks): number {
  if (job.state === "waiting" || job.state === "blocked")
    return (job.pendingSince ?? run.createdAt) + config.abandonedJobSeconds;
  if (job.state !== "running") return Number.POSITIVE_INFINITY;
  const heardAt = tasks.get(job.number)?.heardAt ?? job.startedAt;
  return Math.min(heardAt + config.zombieTaskSeconds, job.startedAt + config.endlessTaskSeconds);
}

const nextLook = (forge: Forge, run: Run, tasks: Tasks): number =>
  Math.min(...run.jobs.map((job) => deadlineOf(forge, run, job, tasks)));

/** Ends jobs, if the run and what their runners told are still as they were read; undefined when they are not. */
function endJobs(forge: Forge, run: Run, lost: readonly RunJob[], tasks: Tasks): Promise<Run | undefined> {
  const stoppedAt = nowSeconds(forge.clock);
  const numbers = new Set(lost.map(({ number }) => number));
  const ended = run.jobs.map(
    (job): RunJob =>
      numbers.has(job.number)
        ? { ...job, state: job.state === "running" ? "failure" : "cancelled", stoppedAt }
        : job,
  );
  const isHeld = run.needsApproval === true || run.isQueued === true;
  const jobs = isHeld ? ended : settleJobs(ended);
  const writes = lost.flatMap(({ number }) => {
    const task = tasks.get(number);
    return task === undefined ? [] : [closeLog(run, task)];
  });
  return saveRun(forge, run, {
    ...{ set: { jobs }, writes },
    ...(isRunOver({ jobs }) ? { unset: ["needsApproval", "isQueued"] } : {}),
  });
}

/** The log of a task that is given up takes no more lines: a runner that comes back learns that from it. */
const closeLog = ({ repositoryId }: Run, { jobNumber, heardAt }: JobTask): Write =>
  update(
    taskKey(repositoryId, jobNumber),
    { set: { isLogSealed: true } },
    { all: [exists, equals({ heardAt })] },
  );
