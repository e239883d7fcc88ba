import { nowSeconds } from "../../clock.ts";
import { attempts } from "../../concurrency/attempts.ts";
import type { Forge } from "../../forge.ts";
import { type Repository, repositoryKey } from "../../repository/repository.table.ts";
import { absent } from "../../table/condition.ts";
import { put, type Write } from "../../table/write.ts";
import { type JobTask, type Run, type RunJob, taskKey } from "../actions.table.ts";
import { isActionsOn } from "../actions-on.ts";
import { saveRun } from "../run/change-run.ts";
import { findRun } from "../run/run.ts";
import { type RunnerLevel, type WaitingRun, waitingPartition } from "./queue.table.ts";
import { waitingRows } from "./waiting.ts";

/** A runner that asks for a job. */
export interface JobSeeker {
  readonly runnerId: number;
  readonly level: RunnerLevel;
  /** The labels that its jobs may ask for; only the first `mostRunnerLabels` count. */
  readonly labels: readonly string[];
}

/** A job that was taken, with its run and task as they became. */
export interface ClaimedJob {
  readonly repository: Repository;
  readonly run: Run;
  readonly job: RunJob;
  readonly task: JobTask;
}

/** A runner's labels are each a queue to look into. */
const mostRunnerLabels = 32;
/** Further writes may refuse a claim for good. */
const mostAttempts = 3;
/** How many runs of a queue are looked at: those with several labels in vain, perhaps. */
const runsPerQueue = 50;

/**
 * Takes the job that has waited longest and that the runner may run, and can by its labels; undefined when there is
 * none. One transaction decides: of many runners one gets a job. `extra` are further members of the task, such as the
 * hash of its token, and `writes` belong to the transaction, too: a condition of theirs may refuse it.
 */
export async function claimJob(
  forge: Forge,
  seeker: JobSeeker,
  extra: Readonly<Record<string, unknown>> = {},
  writes: readonly Write[] = [],
): Promise<ClaimedJob | undefined> {
  for await (const _attempt of attempts(writes.length > 0 ? mostAttempts : undefined)) {
    const rows = await findWaiting(forge, seeker);
    if (rows.length === 0) return undefined;
    for (const row of rows) {
      const claimed = await claimOf(forge, seeker, row, extra, writes);
      if (claimed !== undefined) return claimed;
    }
  }
  return undefined;
}

/** Runs with a job that this runner can run, the longest waiting first, a bounded number. */
export async function findWaiting(
  { table }: Pick<Forge, "table">,
  { level, labels }: Pick<JobSeeker, "level" | "labels">,
): Promise<WaitingRun[]> {
  const known = new Set(labels.slice(0, mostRunnerLabels));
  // A queue of several labels is named by the first of them.
  const queues = [...known].flatMap((label) => [
    waitingPartition(level, [label]),
    `${waitingPartition(level, [label])}+`,
  ]);
  const found = await Promise.all(
    queues.map(async (pk) => (await table.query<WaitingRun>({ pk, limit: runsPerQueue })).items),
  );
  return found
    .flat()
    .filter((row) => row.labels.some((set) => set.every((label) => known.has(label))))
    .sort((one, other) => (one.sk < other.sk ? -1 : 1));
}

async function claimOf(
  forge: Forge,
  { runnerId, labels }: JobSeeker,
  { pk, sk, repositoryId, runNumber }: WaitingRun,
  extra: Readonly<Record<string, unknown>>,
  writes: readonly Write[],
): Promise<ClaimedJob | undefined> {
  const [run, repository] = await Promise.all([
    findRun(forge, repositoryId, runNumber),
    forge.table.get<Repository>(repositoryKey(repositoryId)),
  ]);
  if (run === undefined || repository === undefined) {
    await forge.table.removeAll([{ pk, sk }]);
    return undefined;
  }
  if (!isActionsOn(forge.config, repository)) {
    await forge.table.removeAll(waitingRows(run)); // they come back when the unit is on again
    return undefined;
  }
  const found = run.jobs.find(
    ({ state, runsOn }) => state === "waiting" && runsOn.every((label) => labels.includes(label)),
  );
  if (found === undefined || found.runsOn.length === 0) return undefined;
  const now = nowSeconds(forge.clock);
  const job: RunJob = { ...found, state: "running", runnerId, startedAt: now };
  const task = newTask(run, job, runnerId, now, extra);
  const saved = await saveRun(forge, run, {
    set: { jobs: run.jobs.map((one) => (one === found ? job : one)) },
    writes: [put(task, absent), ...writes],
  });
  return saved && { repository, run: saved, job, task };
}

const newTask = (
  { repositoryId, number: runNumber }: Run,
  { number: jobNumber }: RunJob,
  runnerId: number,
  now: number,
  extra: Readonly<Record<string, unknown>>,
): JobTask => ({
  ...extra,
  ...taskKey(repositoryId, jobNumber),
  ...{ jobNumber, runNumber, runnerId },
  ...{ steps: [], logLines: 0, logBytes: 0, heardAt: now },
  _v: 1,
});
