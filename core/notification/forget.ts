import { hasAccess } from "../access/modes.ts";
import { rightsOfAll } from "../access/rights-of-all.ts";
import { defined } from "../defined.ts";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { issueKey } from "../issue/issue.table.ts";
import type { IssueAddress } from "../issue/placed-issues.ts";
import { type JobKind, startJob } from "../jobs/job.ts";
import type { PartCursor, PartStep } from "../jobs/passes.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { keyText } from "../table/write.ts";
import { findUsersById } from "../user/find.ts";
import { removeNotifications } from "./internal/remove-notifications.ts";
import {
  type Notification,
  notificationIdKey,
  notificationKey,
  notificationsOf,
  notificationsPartition,
  type SubjectRow,
  subjectRowKey,
  subjectRowsOf,
  subjectRowsPartition,
  type UnreadCount,
  unreadCountKey,
  unreadCountsOf,
} from "./notification.table.ts";

const rowsPerStep = 100;
/** The kind of the job that removes what users were told of a deleted issue. */
export const forgettingKind = "forget-notifications";

/** The repositories of which a user keeps or kept notifications, by id. */
export async function repositoriesTold({ table }: Forge, userId: number): Promise<number[]> {
  const counts = await table.queryAll<UnreadCount>(unreadCountsOf(userId));
  return counts.map(({ repositoryId }) => repositoryId);
}

/** Removes what a user was told of a repository: who loses it loses that, too (semantics §54). */
export async function forgetNotificationsIn(
  forge: Forge,
  userId: number,
  repositoryId: number,
): Promise<void> {
  const count = await forge.table.get(unreadCountKey(userId, repositoryId));
  if (count === undefined) return;
  const all = await forge.table.queryAll<Notification>(notificationsOf(userId));
  await removeNotifications(
    forge,
    all.filter((one) => one.repositoryId === repositoryId),
  );
}

/** Starts the job that removes what users were told of a deleted issue, if anybody was told. */
export async function startForgettingIssue(forge: Forge, address: IssueAddress): Promise<void> {
  const { items } = await forge.table.query({ ...subjectRowsOf(address), limit: 1 });
  if (items.length === 0) return;
  const { repositoryId, number } = address;
  const id = `${forgettingKind}-${repositoryId}-${number}`;
  const job = startJob(forge, forgettingKind, { repositoryId, number }, { id });
  if (await forge.table.write(job.write)) await send(forge, [job.message]);
}

/** Removes what users were told of an issue that is gone. Nothing more is written of it by then. */
export const forgetIssue: JobKind<IssueAddress & Record<string, number>, { readonly round: number }> = {
  async step(forge, address, cursor) {
    const { repositoryId, number } = address;
    const again = { cursor: { round: (cursor?.round ?? 0) + 1 } };
    // Its end may have begun while the issue's own item was still there.
    if ((await forge.table.get(issueKey(repositoryId, number))) !== undefined) return { done: true };
    const { items, next } = await forge.table.query<SubjectRow>({
      ...subjectRowsOf(address),
      limit: rowsPerStep,
    });
    await removeOf(forge, items);
    return next === undefined ? { done: true } : again;
  },
};

/** Removes the notifications that rows lead to, and rows that lead nowhere. */
async function removeOf(forge: Forge, rows: readonly SubjectRow[]): Promise<void> {
  if (rows.length === 0) return;
  const keyOf = ({ userId, id }: SubjectRow) => notificationKey(userId, id);
  const found = await forge.table.getAll<Notification>(rows.map(keyOf));
  await removeNotifications(forge, [...found.values()]);
  await forge.table.removeAll(rows.filter((row) => !found.has(keyText(keyOf(row)))));
}

/** The same for a repository that is hidden from everybody: some of it, counts and all. */
export async function emptyRepositoryOfNotifications(forge: Forge, repositoryId: number): Promise<PartStep> {
  const { items, next } = await forge.table.query<SubjectRow>({
    pk: subjectRowsPartition(repositoryId),
    limit: rowsPerStep,
  });
  await forge.table.removeAll(
    items.flatMap(({ userId, id }) => [
      notificationKey(userId, id),
      notificationIdKey(id),
      unreadCountKey(userId, repositoryId),
    ]),
  );
  await forge.table.removeAll(items);
  return { hasFound: items.length > 0, hasMore: next !== undefined };
}

/** Removes some of what a deleted user was told, with the rows that lead to it. */
export async function forgetSomeNotificationsOf(forge: Forge, userId: number): Promise<PartStep> {
  const { items, next } = await forge.table.query<Notification>({
    pk: notificationsPartition(userId),
    limit: rowsPerStep,
  });
  const told = items.filter(({ sk }) => sk.startsWith(notificationsOf(userId).prefix));
  await forge.table.removeAll(told.flatMap((one) => [subjectRowKey(one, userId), notificationIdKey(one.id)]));
  await forge.table.removeAll(items);
  return { hasFound: items.length > 0, hasMore: next !== undefined };
}

/**
 * Removes what users were told of a repository that they may not see any more: some of the rows, from `inner` on. For
 * one that has become private, or moved.
 */
export async function forgetHiddenNotifications(
  forge: Forge,
  repositoryId: number,
  inner: PartCursor | undefined,
): Promise<PartStep> {
  const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
  if (repository?.state !== "live") return { hasFound: false, hasMore: false };
  const { items, next } = await forge.table.query<SubjectRow>({
    pk: subjectRowsPartition(repositoryId),
    limit: rowsPerStep,
    ...defined({ after: inner?.toString() }),
  });
  const users = await findUsersById(forge, [...new Set(items.map(({ userId }) => userId))]);
  const rights = await rightsOfAll(forge, repository, [...users.values()]);
  const isRecipient = (userId: number) => repository.transfer?.recipientId === userId;
  const lost = items.filter(({ userId }) => {
    const theirs = rights.get(userId);
    return theirs !== undefined && !hasAccess(theirs) && !isRecipient(userId);
  });
  await removeOf(forge, lost);
  return { hasFound: lost.length > 0, hasMore: next !== undefined, inner: next };
}
