import type { Forge } from "../../forge.ts";
import { listAcross } from "../../list-index/list-across.ts";
import { listFromIndex } from "../../list-index/list-index.ts";
import type { PageRequest } from "../../page.ts";
import { countJobsIn, runIndex, splitTimeAndRows, timeAndRows } from "../run/run.index.ts";
import { jobsOf, readRuns, type ShownJob, withTasks } from "../run/run-list.ts";
import { type FoundRows, onPage } from "../run/run-rows.ts";
import type { JobState } from "./job-states.ts";

/** Which jobs a list shows, and in which order: those of the newest run first, unless said otherwise. */
export interface JobQuery {
  readonly states?: readonly JobState[] | undefined;
  readonly isOldestFirst?: boolean | undefined;
}

/** Jobs of one page and the number of all; `isWhole` is false when time ran out (D-TIME). */
interface JobListing {
  readonly items: readonly ShownJob[];
  readonly total: number;
  readonly isWhole: boolean;
}

/** A page of the jobs of some repositories. Jobs of one run stand together, in the order of its file. */
export async function listJobs(
  forge: Forge,
  repositoryIds: readonly number[],
  query: JobQuery,
  page: PageRequest,
): Promise<JobListing> {
  const { states, isOldestFirst = false } = query;
  const { found, total, isWhole } = await listAcross(repositoryIds, page, (repositoryId, { limit }) =>
    jobRows(forge, repositoryId, query, limit),
  );
  const { shown, skipped } = onPage(found, page, isOldestFirst);
  const runs = await readRuns(forge, shown);
  const jobs = runs.flatMap((run) => jobsOf(run, states)).slice(skipped, skipped + page.limit);
  return { items: await withTasks(forge, jobs), total, isWhole };
}

/** A repository has fewer runs than this. */
const everyRun = 2 ** 26;

/** The first runs of a repository whose jobs make up so many rows. */
async function jobRows(
  forge: Forge,
  repositoryId: number,
  { states, isOldestFirst }: JobQuery,
  limit: number,
): Promise<FoundRows> {
  const keyOf = timeAndRows(countJobsIn(states));
  const query = { filter: {}, sort: "newest", page: 1, limit: everyRun, keyOf } as const;
  const { ids, keys = [] } = await listFromIndex(forge, runIndex(repositoryId), query);
  const all = ids.map((number, at) => ({ repositoryId, number, ...splitTimeAndRows(keys[at] ?? 0) }));
  if (isOldestFirst === true) all.reverse();
  let total = 0;
  const rows = all.filter((run) => {
    const isFirst = total < limit;
    total += run.rows;
    return isFirst && run.rows > 0;
  });
  return { rows, total };
}
