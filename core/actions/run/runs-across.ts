import { accessMode, modeOf } from "../../access/modes.ts";
import type { RepositoryAccess } from "../../access/repository-access.ts";
import type { Actor } from "../../actor.ts";
import { defined } from "../../defined.ts";
import type { Forge } from "../../forge.ts";
import { listAcross } from "../../list-index/list-across.ts";
import { listFromIndex } from "../../list-index/list-index.ts";
import type { PageRequest } from "../../page.ts";
import { listShownRepositories, mostRepositories } from "../../repository/listing/shown.ts";
import type { Run } from "../actions.table.ts";
import { type JobQuery, listJobs } from "../job/job-list.ts";
import { type RunFilter, runIndex, splitTimeAndRows, timeAndRows } from "./run.index.ts";
import { readRuns, type ShownJob, withRuns } from "./run-list.ts";
import { type FoundRows, onPage } from "./run-rows.ts";

/** A page of what lies in several repositories, and these; `isExact` is false once a bound was passed (D-TOTAL). */
interface AcrossRepositories<T> {
  readonly items: readonly T[];
  readonly total: number;
  readonly isExact: boolean;
  /** By id. */
  readonly repositories: ReadonlyMap<number, RepositoryAccess>;
}

/**
 * A page of the runs of an owner's repositories, or of all, the newest first: of those whose Actions the caller may
 * read. Of more than 200 repositories with runs the last updated ones count (D-TOTAL).
 */
export async function listRunsAcross(
  forge: Forge,
  actor: Actor | undefined,
  ownerId: number | undefined,
  filter: RunFilter,
  page: PageRequest,
): Promise<AcrossRepositories<Run>> {
  const { repositories, isExact } = await repositoriesWithRuns(forge, actor, ownerId);
  const across = await listAcross([...repositories.keys()], page, (repositoryId, { limit }) =>
    runRows(forge, repositoryId, filter, limit),
  );
  const { shown } = onPage(across.found, page, false);
  return {
    items: await readRuns(forge, shown),
    total: across.total,
    isExact: isExact && across.isWhole,
    repositories,
  };
}

/** A page of the jobs of these runs; otherwise like `listRunsAcross`. */
export async function listJobsAcross(
  forge: Forge,
  actor: Actor | undefined,
  ownerId: number | undefined,
  query: JobQuery,
  page: PageRequest,
): Promise<AcrossRepositories<ShownJob>> {
  const { repositories, isExact } = await repositoriesWithRuns(forge, actor, ownerId);
  const { items, total, isWhole } = await listJobs(forge, [...repositories.keys()], query, page);
  return { items, total, isExact: isExact && isWhole, repositories };
}

async function repositoriesWithRuns(
  forge: Forge,
  actor: Actor | undefined,
  ownerId: number | undefined,
): Promise<Pick<AcrossRepositories<never>, "repositories" | "isExact">> {
  const having = (ids: readonly number[]) => withRuns(forge, ids);
  const { items, total } = await listShownRepositories(
    forge,
    actor,
    { ...defined({ ownerId }), having },
    mostRepositories,
  );
  const readable = items.filter(({ rights }) => modeOf(rights, "actions") >= accessMode.read);
  const repositories = new Map(readable.map((access) => [access.repository.id, access]));
  return { repositories, isExact: total <= mostRepositories };
}

async function runRows(
  forge: Forge,
  repositoryId: number,
  filter: RunFilter,
  limit: number,
): Promise<FoundRows> {
  const keyOf = timeAndRows(() => 1);
  const query = { filter, sort: "newest", page: 1, limit, keyOf } as const;
  const { ids, keys = [], total } = await listFromIndex(forge, runIndex(repositoryId), query);
  return {
    rows: ids.map((number, at) => ({ repositoryId, number, ...splitTimeAndRows(keys[at] ?? 0) })),
    total,
  };
}
