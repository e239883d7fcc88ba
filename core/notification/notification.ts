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

/** A user's notifications from the newest on; `isWhole` is false when it ends before the last one (D-TOTAL). */
interface NotificationList {
  readonly items: readonly ReadableNotification[];
  readonly isWhole: boolean;
}

/** Rights of so many repositories are read in two requests. */
const repositoriesChecked = 30;
/** A list goes on behind the caller's page as far as the notifications of so many repositories. */
const repositoriesCounted = 90;

/** The time of the newest thing that a notification tells of, in whole seconds. */
export const updatedAtOf = ({ at }: Notification): number => Math.floor(at / 1000);

/**
 * The caller's notifications, the newest first, as far as they may read now what these are about. All that the user
 * keeps are read (5,000, see `sweep.ts`), and the rights on their repositories, 30 at once: on the first 90, and on
 * others until there are more than `enough`.
 */
export async function listNotifications(
  forge: Forge,
  actor: Actor,
  query: NotificationQuery,
  enough = Number.POSITIVE_INFINITY,
): Promise<NotificationList> {
  const all = await forge.table.queryAll<Notification>(notificationsOf(actor.user.id));
  const meant = all
    .filter((notification) => isMeant(notification, query))
    .sort((one, other) => other.at - one.at || other.id - one.id);
  return readableAmong(forge, actor, meant, enough);
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
  enough: number,
): Promise<NotificationList> {
  const ids = [...new Set(notifications.map(({ repositoryId }) => repositoryId))];
  const judged = new Map<number, RepositoryAccess | undefined>();
  const items: ReadableNotification[] = [];
  for (const notification of notifications) {
    const { repositoryId, kind } = notification;
    if (!judged.has(repositoryId)) {
      if (judged.size >= repositoriesCounted && items.length > enough) return { items, isWhole: false };
      const next = ids.slice(judged.size, judged.size + repositoriesChecked);
      const accesses = await findAccessesById(forge, actor, next);
      for (const id of next) judged.set(id, accesses.get(id));
    }
    const access = judged.get(repositoryId);
    if (access === undefined || isHiddenFromToken(actor, access)) continue;
    if (readableSubjects(access.rights).includes(kind)) items.push({ notification, access });
  }
  return { items, isWhole: true };
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
  const [readable] = (await readableAmong(forge, actor, [found], 1)).items;
  if (readable === undefined) throw unknown(id);
  return readable;
}

const unknown = (id: number) => notFound(`notification does not exist [id: ${id}]`);
