import type { Forge } from "../forge.ts";
import { listFromIndex } from "../list-index/list-index.ts";
import type { PageRequest } from "../page.ts";
import { keyText } from "../table/write.ts";
import { type JobTask, type Run, type RunJob, runKey, taskKey } from "./actions.table.ts";
import type { JobState } from "./job-states.ts";
import { countJobsIn, type RunFilter, runIndex } from "./run.index.ts";

/** One page of a repository's runs, the newest first, and the number of all. */
export async function listRuns(
  forge: Forge,
  repositoryId: number,
  filter: RunFilter,
  { page, limit }: PageRequest,
): Promise<{ readonly items: readonly Run[]; readonly total: number }> {
  const query = { filter, sort: "newest", page, limit } as const;
  const { ids, total } = await listFromIndex(forge, runIndex(repositoryId), query);
  return { items: await readRuns(forge, repositoryId, ids), total };
}

/** Whether there is such a run. */
export async function hasRunFor(forge: Forge, repositoryId: number, filter: RunFilter): Promise<boolean> {
  const query = { filter, sort: "newest", page: 1, limit: 1 } as const;
  return (await listFromIndex(forge, runIndex(repositoryId), query)).ids.length > 0;
}

/** Runs by their numbers, in this order; those that are gone are left out. */
async function readRuns({ table }: Forge, repositoryId: number, numbers: readonly number[]): Promise<Run[]> {
  const keys = numbers.map((number) => runKey(repositoryId, number));
  const found = await table.getAll<Run>(keys);
  return keys.flatMap((key) => found.get(keyText(key)) ?? []);
}

/** A job with its run, and its task once a runner has taken it. */
export interface ShownJob {
  readonly run: Run;
  readonly job: RunJob;
  /** Its place among the jobs of its run. */
  readonly at: number;
  readonly task?: JobTask;
}

const everyRun = 2 ** 26;

/** A page of the jobs of a repository in some states, those of the newest runs first, and the number of all. */
export async function listJobs(
  forge: Forge,
  repositoryId: number,
  states: readonly JobState[] | undefined,
  { page, limit }: PageRequest,
): Promise<{ readonly items: readonly ShownJob[]; readonly total: number }> {
  const query = { filter: {}, sort: "newest", page: 1, limit: everyRun, keyOf: countJobsIn(states) } as const;
  const { ids, keys: counts = [] } = await listFromIndex(forge, runIndex(repositoryId), query);
  const [start, end] = [(page - 1) * limit, page * limit];
  const shown: number[] = [];
  let [total, skipped] = [0, 0];
  for (const [at, number] of ids.entries()) {
    const before = total;
    total += counts[at] ?? 0;
    if (total <= start || before >= end) continue;
    if (shown.length === 0) skipped = before;
    shown.push(number);
  }
  const runs = await readRuns(forge, repositoryId, shown);
  const jobs = runs.flatMap((run) => jobsOf(run, states)).slice(start - skipped, end - skipped);
  return { items: await withTasks(forge, jobs), total };
}

/** The jobs of a run in some states, in the order of the file. */
export const jobsOf = (run: Run, states?: readonly JobState[]): ShownJob[] =>
  run.jobs.flatMap((job, at) => (states?.includes(job.state) === false ? [] : [{ run, job, at }]));

/** Reads the tasks of jobs: none has one before a runner took it. */
export async function withTasks(
  { table }: Pick<Forge, "table">,
  jobs: readonly ShownJob[],
): Promise<ShownJob[]> {
  const keyOf = ({ run, job }: ShownJob) => taskKey(run.repositoryId, job.number);
  const taken = jobs.filter(({ job }) => job.startedAt > 0);
  const found =
    taken.length === 0 ? new Map<string, JobTask>() : await table.getAll<JobTask>(taken.map(keyOf));
  return jobs.map((shown) => {
    const task = found.get(keyText(keyOf(shown)));
    return task === undefined ? shown : { ...shown, task };
  });
}
