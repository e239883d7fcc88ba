import { hasAccess } from "../access/modes.ts";
import { findAccessesById } from "../access/repository-access.ts";
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
import type { User } from "../user/user.table.ts";
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
  unreadCountKey,
} from "./notification.table.ts";

const rowsPerStep = 100;
/** The kind of the job that removes what users were told of a deleted issue. */
export const forgettingKind = "forget-notifications";

/**
 * Removes what a user was told of those repositories of an owner that they may not see any more (semantics §54): some
 * of what they were told, from `inner` on.
 */
export async function forgetHiddenNotificationsAtOwner(
  forge: Forge,
  user: User,
  ownerId: number,
  inner: PartCursor | undefined,
): Promise<PartStep> {
  const { items, next } = await forge.table.query<Notification>({
    ...notificationsOf(user.id),
    limit: rowsPerStep,
    ...defined({ after: inner?.toString() }),
  });
  const ids = [...new Set(items.map(({ repositoryId }) => repositoryId))];
  const found = await forge.table.getAll<Repository>(ids.map(repositoryKey));
  const theirs = [...found.values()].flatMap(({ id, ownerId: its, state }) =>
    its === ownerId && state === "live" ? [id] : [],
  );
  const seen = theirs.length === 0 ? new Map() : await findAccessesById(forge, { user }, theirs);
  const lost = new Set(theirs.filter((id) => !seen.has(id)));
  const told = items.filter(({ repositoryId }) => lost.has(repositoryId));
  await removeNotifications(forge, told);
  return { hasFound: told.length > 0, hasMore: next !== undefined, inner: next };
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
