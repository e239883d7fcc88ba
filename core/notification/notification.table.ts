import { padded } from "../ids.ts";
import { authorKeys, type IssueKind, issuePartition } from "../issue/issue.table.ts";
import { userPartition } from "../owner/owner.table.ts";
import { repositoryPartition } from "../repository/repository.table.ts";
import { type Item, type TableKey, update, type Write } from "../table/write.ts";

/** What a notification is about; commits have none so far. */
export type SubjectKind = IssueKind | "repository";
export const subjectKinds = ["issue", "pull", "repository"] as const satisfies readonly SubjectKind[];

export type NotificationStatus = "unread" | "read" | "pinned";

/** What a notification is about, by its place: an issue or pull request, or the repository when there is no number. */
export interface SubjectPlace {
  readonly repositoryId: number;
  readonly number?: number | undefined;
}

/** What a user was told of one subject, however much happened to it. */
export interface Notification extends Item {
  /** Unique in the instance. */
  readonly id: number;
  readonly userId: number;
  readonly repositoryId: number;
  readonly kind: SubjectKind;
  /** Of an issue or pull request. */
  readonly number?: number;
  readonly status: NotificationStatus;
  /** The newest comment that it told of. */
  readonly commentId?: number;
  /** When the newest thing happened that it tells of, in milliseconds. */
  readonly at: number;
  /** Edit version: the condition of the next write. */
  readonly v: number;
  readonly _v: 1;
}

/** The place of everything that a user was told. */
export const notificationsPartition = (userId: number): string => `${userPartition(userId)}#N`;
/** A user's notifications, in the order of their ids. */
export const notificationsOf = (userId: number) => ({ pk: notificationsPartition(userId), prefix: "T#" });
export const notificationKey = (userId: number, id: number): TableKey => ({
  pk: notificationsPartition(userId),
  sk: `T#${padded(id)}`,
});

/** How many unread notifications a user has in one repository: of all kinds as `n`, and of each kind. */
export interface UnreadCount extends Item {
  readonly repositoryId: number;
  readonly n: number;
  readonly issue?: number;
  readonly pull?: number;
  readonly repository?: number;
  readonly _v: 1;
}
export const unreadCountsOf = (userId: number) => ({ pk: notificationsPartition(userId), prefix: "R#" });
export const unreadCountKey = (userId: number, repositoryId: number): TableKey => ({
  pk: notificationsPartition(userId),
  sk: `R#${padded(repositoryId)}`,
});
/** Counts so many more unread notifications of a user in a repository, by kind. */
export function countWrite(
  userId: number,
  repositoryId: number,
  by: Partial<Record<SubjectKind, number>>,
): Write {
  const n = subjectKinds.reduce((sum, kind) => sum + (by[kind] ?? 0), 0);
  return update(unreadCountKey(userId, repositoryId), { set: { repositoryId, _v: 1 }, add: { n, ...by } });
}

/** How many of these there are of each kind, times `by`. */
export function unreadBy(
  notifications: readonly Pick<Notification, "kind">[],
  by: 1 | -1,
): Partial<Record<SubjectKind, number>> {
  const counts: Partial<Record<SubjectKind, number>> = {};
  for (const { kind } of notifications) counts[kind] = (counts[kind] ?? 0) + by;
  return counts;
}

/** Finds the notification of a user about a subject: each has one. */
export interface SubjectRow extends Item {
  readonly id: number;
  readonly userId: number;
  readonly _v: 1;
}
/** The place of the rows of all subjects of a repository. */
export const subjectRowsPartition = (repositoryId: number): string =>
  `${repositoryPartition(repositoryId)}#N`;
const subjectPrefix = ({ number }: SubjectPlace): string =>
  number === undefined ? "REPOSITORY#" : `ISSUE#${padded(number)}#`;
/** The rows of one subject, by user. */
export const subjectRowsOf = (place: SubjectPlace) => ({
  pk: subjectRowsPartition(place.repositoryId),
  prefix: subjectPrefix(place),
});
export const subjectRowKey = (place: SubjectPlace, userId: number): TableKey => ({
  pk: subjectRowsPartition(place.repositoryId),
  sk: `${subjectPrefix(place)}${padded(userId)}`,
});

/** Whose notification an id is. */
export interface NotificationId extends Item {
  readonly userId: number;
  readonly _v: 1;
}
export const notificationIdKey = (id: number): TableKey => ({ pk: `NOTIFICATION#${id}`, sk: "#" });

/** Somebody who commented on an issue or reviewed a pull request: they hear of it from then on. */
export interface Participant extends Item {
  readonly userId: number;
  readonly _v: 1;
}
export const participantPrefix = "PART#";
/** Those who take part in an issue, by user. */
export const participantsOf = (repositoryId: number, number: number) => ({
  pk: issuePartition(repositoryId, number),
  prefix: participantPrefix,
});
/** The item of one. */
export function participant(repositoryId: number, number: number, userId: number): Participant {
  const key = { pk: issuePartition(repositoryId, number), sk: `${participantPrefix}${padded(userId)}` };
  return { ...key, ...authorKeys(userId, "participant", key), userId, _v: 1 };
}
