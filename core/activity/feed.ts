import type { TeamAccess } from "../access/organization-access.ts";
import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import type { Organization } from "../organization/organization.table.ts";
import type { PageRequest } from "../page.ts";
import { keyText } from "../table/write.ts";
import { type TeamRepository, teamPartition, teamRepositoryPrefix } from "../team/team.table.ts";
import type { User } from "../user/user.table.ts";
import { listWatchesOfUser } from "../watch/watch.ts";
import {
  type Activity,
  keptMs,
  type LastActivity,
  lastActivityKey,
  ownerActivities,
  repositoryActivities,
} from "./activity.table.ts";
import { unitOf } from "./activity-types.ts";
import { newestFirst, type Source, type Span } from "./newest-first.ts";
import { mayKnowActivityOf, Readers } from "./readers.ts";

/** An activity that the caller may know of, with its repository and who did it, as they are now. */
export interface ShownActivity {
  readonly activity: Activity;
  readonly access: RepositoryAccess;
  readonly doer: User;
}

/** A page, and how many activities were found; `isExact` is false when there may be more (D-TOTAL). */
export interface Feed {
  readonly items: readonly ShownActivity[];
  readonly total: number;
  readonly isExact: boolean;
}

/** Which activities: a page of all, or of those of a day in UTC, by its beginning in milliseconds. */
export interface FeedQuery {
  readonly page: PageRequest;
  readonly dayMs?: number | undefined;
}

/** The feed of one repository, user or organization counts so many, however short its pages are. */
const counted = 300;
/** A feed of many repositories looks at so many of them, those that were watched last. */
const mostRepositories = 1_000;
const rowsOfOne = 300;
const rowsOfMany = 50;
const dayLengthMs = 24 * 3_600_000;

/**
 * What a user did, and, unless `isOwnOnly`, what others do in the repositories that they watch (semantics §67.2). Of
 * private repositories it tells only the user themselves and administrators. Empty when the user hides their activity.
 */
export async function readFeedOfUser(
  forge: Forge,
  actor: Actor | undefined,
  user: User,
  query: FeedQuery & { readonly isOwnOnly: boolean },
): Promise<Feed> {
  if (!mayKnowActivityOf(actor, user)) return { items: [], total: 0, isExact: true };
  const pk = ownerActivities(user.id);
  const own = { pk, newestAt: Number.POSITIVE_INFINITY };
  const watched = query.isOwnOnly ? [] : (await listWatchesOfUser(forge, user.id)).ids;
  const sources = [own, ...(await sourcesOf(forge, watched))];
  const isPrivileged = actor !== undefined && (actor.user.isAdmin || actor.user.id === user.id);
  const feed = await readFeed(
    forge,
    new Readers(forge, actor),
    sources,
    query,
    (activity, { repository }) => {
      const isTwice = activity.pk !== pk && activity.actorId === user.id;
      return !isTwice && (isPrivileged || !repository.isPrivate);
    },
  );
  return watched.length > mostRepositories ? { ...feed, isExact: false } : feed;
}

/** What happened in a repository. */
export function readFeedOfRepository(
  forge: Forge,
  actor: Actor | undefined,
  access: RepositoryAccess,
  query: FeedQuery,
): Promise<Feed> {
  const { id } = access.repository;
  const source = { pk: repositoryActivities(id), newestAt: Number.POSITIVE_INFINITY };
  return readFeed(forge, new Readers(forge, actor, [access]), [source], query, () => true);
}

/** What happened in those repositories of an organization that were its own then, and are now. */
export function readFeedOfOrganization(
  forge: Forge,
  actor: Actor | undefined,
  { id }: Pick<Organization, "id">,
  query: FeedQuery,
): Promise<Feed> {
  const source = { pk: ownerActivities(id), newestAt: Number.POSITIVE_INFINITY };
  const isTheirs = (_: Activity, { owner }: RepositoryAccess) => owner.id === id;
  return readFeed(forge, new Readers(forge, actor), [source], query, isTheirs);
}

/** What happened in a team's repositories. */
export async function readFeedOfTeam(
  forge: Forge,
  actor: Actor,
  { team, organization }: Pick<TeamAccess, "team" | "organization">,
  query: FeedQuery,
): Promise<Feed> {
  if (team.includesAll) return readFeedOfOrganization(forge, actor, organization, query);
  const run = { pk: teamPartition(team.id), prefix: teamRepositoryPrefix };
  const ids = (await forge.table.queryAll<TeamRepository>(run)).map(({ repositoryId }) => repositoryId);
  const sources = await sourcesOf(forge, ids);
  const isTheirs = (_: Activity, { owner }: RepositoryAccess) => owner.id === organization.id;
  const feed = await readFeed(forge, new Readers(forge, actor), sources, query, isTheirs);
  return ids.length > mostRepositories ? { ...feed, isExact: false } : feed;
}

/** Those of these repositories where anything happened. */
async function sourcesOf({ table }: Forge, ids: readonly number[]): Promise<Source[]> {
  if (ids.length === 0) return [];
  const looked = ids.slice(0, mostRepositories);
  const found = await table.getAll<LastActivity>(looked.map(lastActivityKey), { isConsistent: false });
  return looked.flatMap((id) => {
    const last = found.get(keyText(lastActivityKey(id)));
    return last === undefined ? [] : [{ pk: repositoryActivities(id), newestAt: last.at }];
  });
}

/** Reads until the page is full and enough is counted, and judges each activity by the rights of now. */
async function readFeed(
  forge: Forge,
  readers: Readers,
  sources: readonly Source[],
  { page, dayMs }: FeedQuery,
  isMeant: (activity: Activity, access: RepositoryAccess) => boolean,
): Promise<Feed> {
  const isOfOne = sources.length === 1;
  const enough = Math.max(page.page * page.limit, isOfOne ? counted : 0);
  const span = spanOf(forge, dayMs);
  const rows = newestFirst(forge, sources, span, isOfOne ? rowsOfOne : rowsOfMany);
  const found: ShownActivity[] = [];
  let isExact = false;
  while (found.length <= enough && !readers.isFull) {
    const { value, done } = await rows.next();
    if (done === true) {
      isExact = value;
      break;
    }
    await readers.meet(value);
    for (const activity of value) {
      const shown = shownBy(readers, activity);
      if (shown !== undefined && isMeant(activity, shown.access)) found.push(shown);
    }
  }
  const first = (page.page - 1) * page.limit;
  return { items: found.slice(first, first + page.limit), total: found.length, isExact };
}

function spanOf({ clock }: Forge, dayMs: number | undefined): Span {
  const fromMs = clock.now() - keptMs;
  if (dayMs === undefined) return { fromMs, endMs: Number.MAX_SAFE_INTEGER };
  return { fromMs: Math.max(fromMs, dayMs), endMs: dayMs + dayLengthMs };
}

/** The activity, if the caller may know of it. */
function shownBy(readers: Readers, activity: Activity): ShownActivity | undefined {
  const access = readers.accessTo(activity.repositoryId, unitOf(activity.type));
  const doer = readers.doer(activity.actorId);
  return access === undefined || doer === undefined ? undefined : { activity, access, doer };
}
