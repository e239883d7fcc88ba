import { defined } from "../../defined.ts";
import { absent, equals } from "../../table/condition.ts";
import { put, update, type Write } from "../../table/write.ts";
import {
  countWrite,
  type Notification,
  type NotificationId,
  notificationIdKey,
  notificationKey,
  type SubjectKind,
  type SubjectRow,
  subjectRowKey,
} from "../notification.table.ts";

/** What a user was told of a subject so far; the notification is missing when it was removed meanwhile. */
export interface Told {
  readonly row: SubjectRow;
  readonly notification?: Notification | undefined;
}

/** The news for one user. */
export interface NewsForUser {
  readonly userId: number;
  readonly repositoryId: number;
  readonly number?: number;
  readonly kind: SubjectKind;
  readonly commentId?: number;
  readonly isFirst?: true;
  readonly isMention?: true;
  readonly at: number;
  /** The id of a new notification, if it takes one. */
  readonly newId?: number | undefined;
}

/** The writes that tell a user; none when they know it already. */
export function writesOf(news: NewsForUser, told: Told | undefined): Write[] {
  const { userId, repositoryId, kind, at, commentId } = news;
  const known = told?.notification;
  if (known === undefined) return newWrites(news, told?.row);
  if (isTold(known, news)) return [];
  const becomesUnread = known.status === "read";
  const newest = { at: Math.max(known.at, at), commentId: later(known.commentId, commentId) };
  const set = defined({ ...newest, v: known.v + 1, status: becomesUnread ? "unread" : undefined });
  return [
    update(notificationKey(userId, known.id), { set }, equals({ v: known.v })),
    ...(becomesUnread ? [countWrite(userId, repositoryId, { [kind]: 1 })] : []),
  ];
}

/** Whether a user was told of this, or of something newer. Ids of comments increase with time. */
function isTold(known: Notification, { at, commentId, isFirst, isMention }: NewsForUser): boolean {
  if (isFirst === true) return true;
  const isByTime = known.at >= at;
  if (commentId === undefined) return isByTime;
  const isByComment = (known.commentId ?? 0) >= commentId;
  // An old comment may be edited, and mention somebody then.
  return isMention === true ? isByComment && isByTime : isByComment;
}

const later = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);

function newWrites(
  { userId, repositoryId, number, kind, at, commentId, newId }: NewsForUser,
  left: SubjectRow | undefined,
): Write[] {
  const id = newId ?? left?.id;
  if (id === undefined) return [];
  const notification: Notification = {
    ...notificationKey(userId, id),
    ...{ id, userId, repositoryId, kind, status: "unread", at, v: 1, _v: 1 },
    ...defined({ number, commentId }),
  };
  const row: SubjectRow = { ...subjectRowKey({ repositoryId, number }, userId), id, userId, _v: 1 };
  const owner: NotificationId = { ...notificationIdKey(id), userId, _v: 1 };
  return [
    put(notification, absent),
    put(row, left === undefined ? absent : equals({ id: left.id })),
    put(owner),
    countWrite(userId, repositoryId, { [kind]: 1 }),
  ];
}
