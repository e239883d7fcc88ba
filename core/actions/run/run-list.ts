import type { Forge } from "../../forge.ts";
import { runSequenceKey } from "../../ids.ts";
import { listFromIndex } from "../../list-index/list-index.ts";
import type { PageRequest } from "../../page.ts";
import { keyText } from "../../table/write.ts";
import { type JobTask, type Run, type RunJob, runKey, taskKey } from "../actions.table.ts";
import type { JobState } from "../job/job-states.ts";
import { type RunFilter, runIndex } from "./run.index.ts";

/** One page of a repository's runs, the newest first, and the number of all. */
export async function listRuns(
  forge: Forge,
  repositoryId: number,
  filter: RunFilter,
  { page, limit }: PageRequest,
): Promise<{ readonly items: readonly Run[]; readonly total: number }> {
  const query = { filter, sort: "newest", page, limit } as const;
  const { ids, total } = await listFromIndex(forge, runIndex(repositoryId), query);
  const places = ids.map((number) => ({ repositoryId, number }));
  return { items: await readRuns(forge, places), total };
}

/** Whether there is such a run. */
export async function hasRunFor(forge: Forge, repositoryId: number, filter: RunFilter): Promise<boolean> {
  const query = { filter, sort: "newest", page: 1, limit: 1 } as const;
  return (await listFromIndex(forge, runIndex(repositoryId), query)).ids.length > 0;
}

/** The repositories among these that have ever had a run. */
export async function withRuns(
  { table }: Pick<Forge, "table">,
  repositoryIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const found = await table.getAll(repositoryIds.map(runSequenceKey));
  return new Set(repositoryIds.filter((id) => found.has(keyText(runSequenceKey(id)))));
}

/** Runs in this order; those that are gone are left out. */
export async function readRuns(
  { table }: Pick<Forge, "table">,
  places: readonly Pick<Run, "repositoryId" | "number">[],
): Promise<Run[]> {
  const keys = places.map(({ repositoryId, number }) => runKey(repositoryId, number));
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
