import { padded, paddedTime } from "../ids.ts";
import { userPartition } from "../owner/owner.table.ts";
import { repositoryPartition } from "../repository/repository.table.ts";
import type { Item, TableKey } from "../table/write.ts";
import type { ActivityType, ActivityUnit } from "./activity-types.ts";

/**
 * Something that a user did in a repository, by ids: texts and names are read when it is shown. The same item lies at
 * the repository, at the user, and at the organization that owned the repository then.
 */
export interface Activity extends Item {
  /** Unique in the instance. */
  readonly id: number;
  readonly type: ActivityType;
  readonly repositoryId: number;
  /** A user, or a system user. */
  readonly actorId: number;
  /** The organization at which it lies, too. */
  readonly organizationId?: number;
  /** Milliseconds. */
  readonly at: number;
  /** Of an issue, a pull request or a release. */
  readonly number?: number;
  readonly commentId?: number;
  /** The full name of a ref. */
  readonly ref?: string;
  /** What a renamed or transferred repository was called, without its owner. */
  readonly formerName?: string;
  /** Who owned a transferred repository: not everybody who sees it now may know of them. */
  readonly formerOwnerId?: number;
  /** Seconds: from then on it counts as absent. */
  readonly ttl: number;
  readonly _v: 1;
}

/** A commit as feeds show it: the beginning of its message. */
export interface ShownCommit {
  readonly id: string;
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string };
  readonly committer: { readonly name: string; readonly email: string };
  /** Seconds, of the committer. */
  readonly committedAt: number;
}

/** The commits that a push brought to a branch, apart from the activity: feeds read many of these, and show few. */
export interface PushedCommits extends Item {
  readonly old?: string;
  readonly new: string;
  /** The newest ones. */
  readonly commits: readonly ShownCommit[];
  /** How many came. */
  readonly total: number;
  readonly ttl: number;
  readonly _v: 1;
}

/** For how long activities are kept: as far back as the heat map looks (semantics §67.3). */
export const keptMs = 371 * 24 * 3_600_000;
/** The end of what happened at this time, in seconds. */
export const ttlOf = (at: number): number => Math.floor((at + keptMs) / 1000);

/** Where an activity lies among others: its event may be told of twice, and several come of one. */
export interface ActivityPlace {
  readonly at: number;
  readonly eventId: string;
  /** Which of those that came of the event. */
  readonly place: number;
}
const tail = ({ at, eventId, place }: ActivityPlace) => `${paddedTime(at)}#${eventId}#${padded(place, 3)}`;
const activityPrefix = "T#";
const commitsPrefix = "C#";

/** What happened in a repository. */
export const repositoryActivities = (repositoryId: number): string =>
  `${repositoryPartition(repositoryId)}#A`;
/** What a user did, or what happened in an organization's repositories. */
export const ownerActivities = (ownerId: number): string => `${userPartition(ownerId)}#A`;

/** The key of an activity in one of these partitions. */
export const activityKey = (pk: string, place: ActivityPlace): TableKey => ({
  pk,
  sk: `${activityPrefix}${tail(place)}`,
});
/** The activities of a partition from a time on, up to but without another (milliseconds). */
export const activitiesBetween = (pk: string, fromMs: number, endMs: number) => ({
  pk,
  from: `${activityPrefix}${paddedTime(Math.max(0, fromMs))}`,
  to: `${activityPrefix}${paddedTime(Math.max(0, endMs))}`,
});
export const activitiesIn = (pk: string) => ({ pk, prefix: activityPrefix });
/** Everywhere where an activity lies, the repository first. */
export function activityKeys({
  repositoryId,
  actorId,
  organizationId,
  sk,
}: Pick<Activity, "repositoryId" | "actorId" | "organizationId" | "sk">): TableKey[] {
  return [
    { pk: repositoryActivities(repositoryId), sk },
    ...(actorId > 0 ? [{ pk: ownerActivities(actorId), sk }] : []),
    ...(organizationId === undefined ? [] : [{ pk: ownerActivities(organizationId), sk }]),
  ];
}
/** The commits of an activity. */
export const commitsKey = ({ repositoryId, sk }: Pick<Activity, "repositoryId" | "sk">): TableKey => ({
  pk: repositoryActivities(repositoryId),
  sk: `${commitsPrefix}${sk.slice(activityPrefix.length)}`,
});

/** When something happened last in a repository: a feed of many looks into few. */
export interface LastActivity extends Item {
  readonly at: number;
  readonly _v: 1;
}
export const lastActivityKey = (repositoryId: number): TableKey => ({
  pk: repositoryActivities(repositoryId),
  sk: "LAST",
});

/**
 * What a user did, or what happened in an organization's repositories, in an hour: in public repositories, or in private
 * ones. These lie apart, so that nobody learns how much is private from when an hour of what is public is full.
 */
export interface HourCount extends Item {
  /** How many activities, up to a bound: beyond it only those are counted that are like one before. */
  readonly n: number;
  readonly ttl: number;
  readonly _v: 1;
  /** The others are counts by `countName`. */
}
const hourMs = 3_600_000;
const quarterMs = hourMs / 4;
const hourPrefix = "H#";
const hourOf = (at: number) => Math.floor(at / hourMs);
export const hourKey = (ownerId: number, at: number, isPrivate: boolean): TableKey => ({
  pk: ownerActivities(ownerId),
  sk: `${hourPrefix}${padded(hourOf(at))}#${isPrivate ? "P" : "O"}`,
});
/** The hours of an owner from the one of this time on. */
export const hoursSince = (ownerId: number, at: number) => ({
  pk: ownerActivities(ownerId),
  from: hourKey(ownerId, at, false).sk,
  to: `${hourPrefix}~`,
});

/** How many activities of an hour have the same quarter, repository, unit and actor: these decide who may know of them. */
export interface QuarterCount {
  /** The beginning of the quarter, in milliseconds. */
  readonly at: number;
  readonly repositoryId: number;
  readonly actorId: number;
  /** The unit that a reader must be able to read; undefined: who sees the repository sees the activity. */
  readonly unit: ActivityUnit | undefined;
  readonly n: number;
}
const unitLetters: Readonly<Record<ActivityUnit, string>> = {
  code: "c",
  issues: "i",
  pulls: "p",
  releases: "r",
};
const unitsByLetter = new Map(
  Object.entries(unitLetters).map(([unit, letter]) => [letter, unit as ActivityUnit]),
);
/** The name of its attribute. */
export const countName = ({ at, repositoryId, actorId, unit }: Omit<QuarterCount, "n">): string =>
  `${Math.floor((at % hourMs) / quarterMs)}/${repositoryId}/${actorId}${unit === undefined ? "" : `/${unitLetters[unit]}`}`;
/** The counts of an hour. */
export function countsOf({ sk, ...attributes }: HourCount): QuarterCount[] {
  const beginning = Number.parseInt(sk.slice(hourPrefix.length), 10) * hourMs;
  return Object.entries(attributes).flatMap(([name, n]) => {
    const parts = /^([0-3])\/(\d+)\/(-?\d+)(?:\/([cipr]))?$/.exec(name);
    if (parts === null) return [];
    const [, quarter, repositoryId, actorId, letter = ""] = parts;
    const at = beginning + Number(quarter) * quarterMs;
    const unit = unitsByLetter.get(letter);
    return [{ at, repositoryId: Number(repositoryId), actorId: Number(actorId), unit, n: Number(n) }];
  });
}
