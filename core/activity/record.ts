import type { Forge } from "../forge.ts";
import { nextIds } from "../ids.ts";
import { ownerKey } from "../owner/owner.table.ts";
import type { Owner } from "../owner/owner.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { absent, any, below } from "../table/condition.ts";
import { keyText, put, update, type Write } from "../table/write.ts";
import { findSystemUser } from "../user/system-users.ts";
import {
  type Activity,
  activityKey,
  activityKeys,
  commitsKey,
  countName,
  hourKey,
  keptMs,
  lastActivityKey,
  type PushedCommits,
  repositoryActivities,
  ttlOf,
} from "./activity.table.ts";
import { unitOf } from "./activity-types.ts";

/** The event that activities come of: where, by whom and when (milliseconds). */
export interface ActivityOrigin {
  readonly eventId: string;
  readonly repositoryId: number;
  readonly actorId: number;
  readonly at: number;
}

/** What was done, beside its origin. */
export interface Deed extends Pick<Activity, "type"> {
  readonly number?: number;
  readonly commentId?: number;
  readonly ref?: string;
  readonly formerName?: string;
  readonly formerOwnerId?: number;
  readonly commits?: Pick<PushedCommits, "old" | "new" | "commits" | "total">;
}

/** The repository where something happened, with its owner. */
export interface Scene {
  readonly repository: Repository;
  readonly owner: Owner;
}

/** Four items each, and two counts, in one transaction. */
const deedsPerWrite = 20;
/** An hour that counts this many activities for heat maps counts no more by other people, or in other places. */
export const mostCountedAnHour = 500;

/** The scene of an event; undefined when the repository or the actor is gone, or it is past the time that is kept. */
export async function findScene(
  { table, clock }: Forge,
  { repositoryId, actorId, at }: Omit<ActivityOrigin, "eventId">,
): Promise<Scene | undefined> {
  if (at <= clock.now() - keptMs) return undefined;
  const found = await table.getAll([repositoryKey(repositoryId), ownerKey(actorId)]);
  const repository = found.get(keyText(repositoryKey(repositoryId))) as Repository | undefined;
  if (repository?.state !== "live") return undefined;
  const actor = found.get(keyText(ownerKey(actorId))) as Owner | undefined;
  if (actor?.kind !== "user" && findSystemUser(actorId) === undefined) return undefined;
  const { ownerId } = repository;
  const owner = ownerId === actorId ? actor : await table.get<Owner>(ownerKey(ownerId));
  return owner && { repository, owner };
}

/**
 * Writes down what was done: at the repository, at the actor and at the organization that owns the repository, with the
 * counts of heat maps in the same transaction, 20 deeds in each. Repeated for the same event and deeds it changes
 * nothing.
 */
export async function recordActivities(
  forge: Forge,
  origin: ActivityOrigin,
  { repository, owner }: Scene,
  deeds: readonly Deed[],
): Promise<void> {
  if (deeds.length === 0) return;
  const ids = await nextIds(forge.table, "activity", deeds.length);
  const organizationId = owner.kind === "organization" ? owner.id : undefined;
  for (let at = 0; at < deeds.length; at += deedsPerWrite) {
    const some = deeds.slice(at, at + deedsPerWrite).map((deed, place) => ({
      deed,
      activity: activityOf(origin, deed, at + place, ids[at + place] as number, organizationId),
    }));
    await recordOnce(forge, some, repository.isPrivate);
  }
  // Last, so that a repetition after a crash makes good for it: whoever looks finds the activities there.
  const newer = any(absent, below({ at: origin.at }));
  await forge.table.write(
    update(lastActivityKey(origin.repositoryId), { set: { at: origin.at, _v: 1 } }, newer),
  );
}

interface Recorded {
  readonly deed: Deed;
  readonly activity: Activity;
}

function activityOf(
  { eventId, repositoryId, actorId, at }: ActivityOrigin,
  { type, number, commentId, ref, formerName, formerOwnerId }: Deed,
  place: number,
  id: number,
  organizationId: number | undefined,
): Activity {
  return {
    ...activityKey(repositoryActivities(repositoryId), { at, eventId, place }),
    ...{ id, type, repositoryId, actorId, at },
    ...(organizationId === undefined ? {} : { organizationId }),
    ...(number === undefined ? {} : { number }),
    ...(commentId === undefined ? {} : { commentId }),
    ...(ref === undefined ? {} : { ref }),
    ...(formerName === undefined ? {} : { formerName }),
    ...(formerOwnerId === undefined ? {} : { formerOwnerId }),
    ttl: ttlOf(at),
    _v: 1,
  };
}

/** All of these, unless the first is there already: then all are. */
async function recordOnce(
  { table }: Forge,
  recorded: readonly Recorded[],
  isPrivate: boolean,
): Promise<void> {
  const items = recorded.flatMap(({ deed, activity }) => itemWrites(deed, activity));
  let counts = countWrites(
    recorded.map(({ activity }) => activity),
    isPrivate,
  );
  for (;;) {
    const tried = counts;
    const chosen = tried.flatMap(([first]) => first ?? []);
    const outcome = await table.transact([...items, ...chosen]);
    if (outcome.committed || outcome.failed.includes(0)) return;
    const failed = new Set(outcome.failed.map((place) => chosen[place - items.length]));
    counts = tried.flatMap((ways) => {
      const left = failed.has(ways[0]) ? ways.slice(1) : ways;
      return left.length === 0 ? [] : [left];
    });
    if (failed.size === 0) throw new Error("a transaction failed by none of its conditions");
  }
}

function itemWrites({ commits }: Deed, activity: Activity): Write[] {
  const [first, ...others] = activityKeys(activity).map((key) => ({ ...activity, ...key }));
  const { ttl } = activity;
  return [
    ...(first === undefined ? [] : [put(first, absent)]),
    ...others.map((item) => put(item)),
    ...(commits === undefined ? [] : [put({ ...commitsKey(activity), ...commits, ttl, _v: 1 })]),
  ];
}

/**
 * One for the actor, one for the organization: all are of one event. Each may be written in two ways: as more of the
 * hour, and, once the hour is full, as more of what it counts already, which makes the item no larger.
 */
function countWrites(activities: readonly Activity[], isPrivate: boolean): (readonly Write[])[] {
  const [first] = activities;
  if (first === undefined) return [];
  const { actorId, organizationId, at, type } = first;
  const ownerIds = [
    ...(actorId > 0 ? [actorId] : []),
    ...(organizationId === undefined ? [] : [organizationId]),
  ];
  const n = activities.length;
  const name = countName({ ...first, unit: unitOf(type) });
  const set = { ttl: ttlOf(at), _v: 1 };
  return ownerIds.map((ownerId) => {
    const key = hourKey(ownerId, at, isPrivate);
    return [
      update(key, { set, add: { n, [name]: n } }, any(absent, below({ n: mostCountedAnHour }))),
      update(key, { set, add: { [name]: n } }, below({ [name]: Number.MAX_SAFE_INTEGER })),
    ];
  });
}
