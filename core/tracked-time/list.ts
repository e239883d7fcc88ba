import { isRepositoryAdmin } from "../access/modes.ts";
import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { badRequest, forbidden, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { getIssue } from "../issue/change/change.ts";
import { type Issue, type IssueKind, issueKey } from "../issue/issue.table.ts";
import { accessLoader, findDeletedNumbers } from "../issue/placed-issues.ts";
import { isIssueReadable } from "../issue/rights.ts";
import { type PageRequest, rowsOfPage } from "../page.ts";
import { keyText } from "../table/write.ts";
import { getUserByName } from "../user/find.ts";
import { timesOfIssue } from "./change.ts";
import { isTracked, seesOthers } from "./rights.ts";
import {
  firstOfSecond,
  lastOfSecond,
  repositoryTimes,
  type TrackedTime,
  userTimes,
} from "./tracked-time.table.ts";

/** Which times to list; `page` counts from 1. */
export interface TimeQuery extends PageRequest {
  /** Spent in these seconds, both ends included. */
  readonly since?: number;
  readonly before?: number;
  /** Of this user alone, by name. */
  readonly user?: string;
}

/** A time with its issue, and the repository of both. */
export interface ListedTime {
  readonly time: TrackedTime;
  readonly issue: Issue;
  readonly access: RepositoryAccess;
}

/** One page in the order in which times were spent, and the number of all matches. */
export interface TimeListing {
  readonly items: readonly ListedTime[];
  readonly total: number;
}

/**
 * The times of an issue or pull: its writers see all, others their own. NotFound as for the issue, when no time is
 * tracked, and for an unknown user; Forbidden for requests for another user's.
 */
export async function listTimesOfIssue(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  query: TimeQuery,
  actor: Actor,
): Promise<TimeListing> {
  const issue = await getIssue(forge, access, number);
  if (!isTracked(forge, access)) throw notFound("time tracking is off in this repository");
  const userId = await spenderOf(forge, query.user, actor, seesOthers(access, actor, issue.kind));
  const { since = Number.NEGATIVE_INFINITY, before = Number.POSITIVE_INFINITY } = query;
  const times = (await timesOfIssue(forge, issue))
    .filter(({ createdAt }) => createdAt >= since && createdAt <= before)
    .filter((time) => userId === undefined || time.userId === userId)
    .sort((one, other) => one.createdAt - other.createdAt || one.id - other.id);
  return pageOf(forge, times, query, new Map([[access.repository.id, { access }]]));
}

/** As `listTimesOfIssue`, of a whole repository; Bad request when no time is tracked. */
export async function listTimesOfRepository(
  forge: Forge,
  access: RepositoryAccess,
  query: TimeQuery,
  actor: Actor,
): Promise<TimeListing> {
  if (!isTracked(forge, access)) throw badRequest("time tracking is off in this repository");
  const userId = await spenderOf(forge, query.user, actor, seesOthers(access, actor, "issue"));
  return listRows(forge, access, query, userId);
}

/** The times of a user in a repository, for the user and its administrators: Forbidden for others (deprecated form). */
export async function listTimesOfUserIn(
  forge: Forge,
  access: RepositoryAccess,
  query: TimeQuery & { readonly user: string },
  actor: Actor,
): Promise<TimeListing> {
  if (!isTracked(forge, access)) throw badRequest("time tracking is off in this repository");
  const isAdmin = isRepositoryAdmin(access.rights) || actor.user.isAdmin;
  return listRows(forge, access, query, await spenderOf(forge, query.user, actor, isAdmin));
}

async function listRows(
  forge: Forge,
  access: RepositoryAccess,
  query: TimeQuery,
  userId: number | undefined,
): Promise<TimeListing> {
  const { id } = access.repository;
  const [rows, gone] = await Promise.all([
    rowsWithin(forge, repositoryTimes(id), query),
    findDeletedNumbers(forge, id),
  ]);
  const place = { access, gone };
  const times = rows.filter(
    (time) =>
      (userId === undefined || time.userId === userId) && isShown(place, time.issueKind, time.issueNumber),
  );
  return pageOf(forge, times, query, new Map([[id, place]]));
}

/** The caller's own times, in all repositories whose issues (or pulls) they may read. */
export async function listOwnTimes(forge: Forge, query: TimeQuery, actor: Actor): Promise<TimeListing> {
  const rows = await rowsWithin(forge, userTimes(actor.user.id), query);
  const places = await placesOf(forge, actor, new Set(rows.map(({ repositoryId }) => repositoryId)));
  const times = rows.filter(({ repositoryId, issueKind, issueNumber }) => {
    const place = places.get(repositoryId);
    return place !== undefined && isShown(place, issueKind, issueNumber);
  });
  return pageOf(forge, times, query, places);
}

const repositoriesAtOnce = 20;

/** A repository that the caller may read, and its deleted issues that are not cleared yet. */
interface Place {
  readonly access: RepositoryAccess;
  readonly gone: ReadonlySet<number>;
}

const isShown = ({ access, gone }: Place, kind: IssueKind, number: number): boolean =>
  isIssueReadable(access.rights, kind) && !gone.has(number);

/** Those of some repositories that the caller may read, by id. */
async function placesOf(
  forge: Forge,
  actor: Actor,
  ids: ReadonlySet<number>,
): Promise<ReadonlyMap<number, Place>> {
  const found = new Map<number, Place>();
  const loader = accessLoader(forge, actor);
  const all = [...ids];
  for (let at = 0; at < all.length; at += repositoriesAtOnce) {
    const some = all.slice(at, at + repositoriesAtOnce).map(async (id) => {
      const [access, gone] = await Promise.all([loader.accessTo(id), findDeletedNumbers(forge, id)]);
      if (access !== undefined) found.set(id, { access, gone });
    });
    await Promise.all(some);
  }
  return found;
}

/** The rows of one of the two lists, within the seconds asked for. */
function rowsWithin(
  { table }: Forge,
  pk: string,
  { since = 0, before }: Pick<TimeQuery, "since" | "before">,
): Promise<TrackedTime[]> {
  const from = firstOfSecond(Math.max(0, since));
  const to = before === undefined ? "~" : before < 0 ? "" : lastOfSecond(before);
  return from > to ? Promise.resolve([]) : table.queryAll<TrackedTime>({ pk, from, to });
}

/** The user whose times are asked for, undefined for everybody's. */
async function spenderOf(
  forge: Forge,
  name: string | undefined,
  actor: Actor,
  maySeeOthers: boolean,
): Promise<number | undefined> {
  if (name === undefined) return maySeeOthers ? undefined : actor.user.id;
  const { id } = await getUserByName(forge, actor, name);
  if (id === actor.user.id || maySeeOthers) return id;
  throw forbidden("you may see your own times alone");
}

async function pageOf(
  forge: Forge,
  times: readonly TrackedTime[],
  page: PageRequest,
  places: ReadonlyMap<number, Pick<Place, "access">>,
): Promise<TimeListing> {
  const shown = rowsOfPage(times, page);
  const keyOf = ({ repositoryId, issueNumber }: TrackedTime) => issueKey(repositoryId, issueNumber);
  const found = await forge.table.getAll<Issue>(shown.map(keyOf));
  const items = shown.flatMap((time): ListedTime[] => {
    const [issue, access] = [found.get(keyText(keyOf(time))), places.get(time.repositoryId)?.access];
    return issue === undefined || access === undefined ? [] : [{ time, issue, access }];
  });
  return { items, total: times.length };
}
