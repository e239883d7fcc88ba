import type { Rights } from "../access/modes.ts";
import { isHiddenFromToken } from "../access/public-only.ts";
import { findAccessesById, type RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { forbidden, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { readableKinds } from "../issue/rights.ts";
import {
  type Notification,
  type NotificationStatus,
  notificationIdKey,
  notificationKey,
  notificationsOf,
  type SubjectKind,
  subjectKinds,
  type UnreadCount,
  unreadCountsOf,
} from "./notification.table.ts";

/** Which of a user's notifications are meant; times are whole seconds, and both ends count. */
export interface NotificationQuery {
  readonly statuses: readonly NotificationStatus[];
  /** Absent: all kinds. */
  readonly kinds?: readonly SubjectKind[] | undefined;
  readonly since?: number | undefined;
  readonly before?: number | undefined;
  /** Absent: all repositories. */
  readonly repositoryId?: number | undefined;
}

/** A notification whose subject its user may read now, with the repository. */
export interface ReadableNotification {
  readonly notification: Notification;
  readonly access: RepositoryAccess;
}

/** Rights of so many repositories are read in two requests. */
const repositoriesChecked = 30;

/** The time of the newest thing that a notification tells of, in whole seconds. */
export const updatedAtOf = ({ at }: Notification): number => Math.floor(at / 1000);

/**
 * The caller's notifications, the newest first, as far as they may read now what these are about. All that the user
 * keeps are read (5,000, see `sweep.ts`), and the rights on their repositories.
 */
export async function listNotifications(
  forge: Forge,
  actor: Actor,
  query: NotificationQuery,
): Promise<ReadableNotification[]> {
  const all = await forge.table.queryAll<Notification>(notificationsOf(actor.user.id));
  const meant = all.filter((notification) => isMeant(notification, query));
  const readable = await readableAmong(forge, actor, meant);
  return readable.sort(
    ({ notification: one }, { notification: other }) => other.at - one.at || other.id - one.id,
  );
}

function isMeant(notification: Notification, query: NotificationQuery): boolean {
  const { status, kind, repositoryId } = notification;
  const at = updatedAtOf(notification);
  return (
    query.statuses.includes(status) &&
    (query.kinds?.includes(kind) ?? true) &&
    at >= (query.since ?? at) &&
    at <= (query.before ?? at) &&
    repositoryId === (query.repositoryId ?? repositoryId)
  );
}

async function readableAmong(
  forge: Forge,
  actor: Actor,
  notifications: readonly Notification[],
): Promise<ReadableNotification[]> {
  const ids = [...new Set(notifications.map(({ repositoryId }) => repositoryId))];
  const accesses = ids.length === 0 ? new Map() : await findAccessesById(forge, actor, ids);
  return notifications.flatMap((notification) => {
    const access: RepositoryAccess | undefined = accesses.get(notification.repositoryId);
    if (access === undefined || isHiddenFromToken(actor, access)) return [];
    return readableSubjects(access.rights).includes(notification.kind) ? [{ notification, access }] : [];
  });
}

const readableSubjects = (rights: Rights): SubjectKind[] => [...readableKinds(rights), "repository"];

/**
 * How many unread notifications the caller has, in three requests at the most, however many they are: of the first 30
 * repositories where there are any, only what the caller may read now. A job removes what they lost, in the others too.
 */
export async function countUnread(forge: Forge, actor: Actor): Promise<number> {
  const counts = (await forge.table.queryAll<UnreadCount>(unreadCountsOf(actor.user.id))).filter(
    ({ n }) => n > 0,
  );
  const checked = counts.slice(0, repositoriesChecked);
  if (checked.length === 0) return 0;
  const accesses = await findAccessesById(
    forge,
    actor,
    checked.map(({ repositoryId }) => repositoryId),
  );
  const readable = checked.map((count) => {
    const access = accesses.get(count.repositoryId);
    return access === undefined || isHiddenFromToken(actor, access) ? 0 : countedIn(count, access.rights);
  });
  const isPublicOnly = actor.grant?.isPublicOnly === true;
  const others = isPublicOnly ? [] : counts.slice(repositoriesChecked).map(({ n }) => n);
  return [...readable, ...others].reduce((sum, n) => sum + n, 0);
}

function countedIn(count: UnreadCount, rights: Rights): number {
  const kinds = readableSubjects(rights);
  return subjectKinds.reduce((sum, kind) => sum + (kinds.includes(kind) ? (count[kind] ?? 0) : 0), 0);
}

/**
 * One of the caller's notifications. NotFound when there is none of this id, or they may not read its subject any more;
 * Forbidden for another user's (semantics §54).
 */
export async function getNotification(forge: Forge, actor: Actor, id: number): Promise<ReadableNotification> {
  const found = await forge.table.get<Notification>(notificationKey(actor.user.id, id));
  if (found === undefined) {
    if ((await forge.table.get(notificationIdKey(id))) === undefined) throw unknown(id);
    throw forbidden("this notification is another user's");
  }
  const [readable] = await readableAmong(forge, actor, [found]);
  if (readable === undefined) throw unknown(id);
  return readable;
}

const unknown = (id: number) => notFound(`notification does not exist [id: ${id}]`);
