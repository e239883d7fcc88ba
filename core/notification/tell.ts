import { hasAccess } from "../access/modes.ts";
import { isRecipient } from "../access/repository-access.ts";
import { rightsOfAll } from "../access/rights-of-all.ts";
import { findBlockers } from "../block/block.ts";
import { attempts } from "../concurrency/attempts.ts";
import { conflict } from "../errors.ts";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { nextIds } from "../ids.ts";
import { type Issue, issueKey, type Subscription, subscriptionKey } from "../issue/issue.table.ts";
import { isIssueReadable } from "../issue/rights.ts";
import { startJob } from "../jobs/job.ts";
import { ownerKey } from "../owner/owner.table.ts";
import type { Owner } from "../owner/owner.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { equals, exists } from "../table/condition.ts";
import { check, keyText } from "../table/write.ts";
import type { User } from "../user/user.table.ts";
import { type Told, writesOf } from "./internal/told.ts";
import type { News } from "./news.ts";
import { type Notification, notificationKey, type SubjectRow, subjectRowKey } from "./notification.table.ts";
import { isSweepDue, sweepKind } from "./sweep.ts";

/** What news are about, as it is now. */
export interface Subject {
  readonly repository: Repository;
  /** Absent: the repository itself. */
  readonly issue?: Issue;
}

/** Four items each and a condition, in one transaction. */
const usersPerWrite = 20;
const mostAttempts = 20;
const mostConflicts = 3;

/** What news are about, unless it is gone. */
export async function findSubject(
  { table }: Forge,
  { repositoryId, number }: Pick<News, "repositoryId" | "number">,
): Promise<Subject | undefined> {
  const keys = [
    repositoryKey(repositoryId),
    ...(number === undefined ? [] : [issueKey(repositoryId, number)]),
  ];
  const found = await table.getAll(keys);
  const repository = found.get(keyText(repositoryKey(repositoryId))) as Repository | undefined;
  if (repository?.state !== "live") return undefined;
  if (number === undefined) return { repository };
  const issue = found.get(keyText(issueKey(repositoryId, number))) as Issue | undefined;
  return issue && { repository, issue };
}

/**
 * Tells some users of the news, at most 500 at once: one notification for each and the subject, which turns unread
 * unless it is pinned. Left out are the actor, who may not read the subject now, who chose not to hear of it, and who
 * blocks the actor. Each user hears of news once: repeated ones, and ones older than what they were told last, change
 * nothing.
 */
export async function tellUsers(
  forge: Forge,
  news: News,
  subject: Subject,
  userIds: readonly number[],
): Promise<void> {
  const others = [...new Set(userIds)].filter((id) => id !== news.actorId);
  const receivers = await receiversAmong(forge, news, subject, others);
  if (receivers.length === 0) return;
  const rows = await readRows(forge, news, receivers);
  const lacking = receivers.filter((id) => !rows.has(id));
  const ids = lacking.length === 0 ? [] : await nextIds(forge.table, "notification", lacking.length);
  const newIds = new Map(lacking.map((id, place) => [id, ids[place] as number]));
  for (let at = 0; at < receivers.length; at += usersPerWrite) {
    await tellSome(forge, { news, subject, newIds }, receivers.slice(at, at + usersPerWrite), rows);
  }
  const swept = [...newIds].flatMap(([userId, id]) => (isSweepDue(id) ? [userId] : []));
  for (const userId of swept) await startSweep(forge, userId);
}

type Rows = ReadonlyMap<number, Told>;

/** What these users were told of the subject so far. */
async function readRows({ table }: Forge, news: News, userIds: readonly number[]): Promise<Rows> {
  const rows = await table.getAll<SubjectRow>(userIds.map((id) => subjectRowKey(news, id)));
  const keys = [...rows.values()].map(({ userId, id }) => notificationKey(userId, id));
  const found = keys.length === 0 ? new Map<string, Notification>() : await table.getAll<Notification>(keys);
  return new Map(
    [...rows.values()].map((row) => {
      return [row.userId, { row, notification: found.get(keyText(notificationKey(row.userId, row.id))) }];
    }),
  );
}

interface Telling {
  readonly news: News;
  readonly subject: Subject;
  readonly newIds: ReadonlyMap<number, number>;
}

/** All of these users in one transaction; nothing is written of a subject or an offer that is gone. */
async function tellSome(
  forge: Forge,
  { news, subject, newIds }: Telling,
  userIds: readonly number[],
  asRead: Rows,
): Promise<void> {
  const { repositoryId, number } = news;
  const isThere =
    number === undefined
      ? check(repositoryKey(repositoryId), equals({ state: "live", transfer: subject.repository.transfer }))
      : check(issueKey(repositoryId, number), exists);
  let rows = asRead;
  for await (const attempt of attempts(mostAttempts)) {
    if (attempt > 0) rows = await readRows(forge, news, userIds);
    const kind = subject.issue?.kind ?? "repository";
    const writes = userIds.flatMap((userId) =>
      writesOf({ ...news, kind, userId, newId: newIds.get(userId) }, rows.get(userId)),
    );
    if (writes.length === 0) return;
    const outcome = await forge.table.transact([isThere, ...writes], { mostConflicts });
    if (outcome.committed || outcome.failed.includes(0)) return;
  }
  throw conflict("others keep changing what these users were told");
}

/** Those of these users who may hear of the news, in their order. */
async function receiversAmong(
  forge: Forge,
  news: News,
  subject: Subject,
  userIds: readonly number[],
): Promise<number[]> {
  const { number, repositoryId, actorId } = news;
  const choiceKey = (id: number) => subscriptionKey(repositoryId, number ?? 0, id);
  const found = await forge.table.getAll([
    ...userIds.map(ownerKey),
    ...(number === undefined ? [] : userIds.map(choiceKey)),
  ]);
  const users = userIds.flatMap((id) => {
    const user = found.get(keyText(ownerKey(id))) as Owner | undefined;
    const choice = found.get(keyText(choiceKey(id))) as Subscription | undefined;
    return user?.kind === "user" && user.isActive && choice?.isSubscribed !== false ? [user] : [];
  });
  if (users.length === 0) return [];
  const [readers, blockers] = await Promise.all([
    readersAmong(forge, subject, users),
    findBlockers(
      forge,
      users.map(({ id }) => id),
      actorId,
    ),
  ]);
  return readers.filter((id) => !blockers.has(id));
}

async function readersAmong(
  forge: Forge,
  { repository, issue }: Subject,
  users: readonly User[],
): Promise<number[]> {
  const rights = await rightsOfAll(forge, repository, users);
  const mayRead = async ({ id }: User) => {
    const theirs = rights.get(id);
    if (issue !== undefined) return theirs !== undefined && isIssueReadable(theirs, issue.kind);
    // A repository is told of while it is offered: a recipient may read it until they decide.
    const { transfer } = repository;
    if (transfer === undefined) return false;
    const isNamed = transfer.recipientKind === "organization" && theirs !== undefined && hasAccess(theirs);
    return isNamed || isRecipient(forge, transfer, id);
  };
  const may = await Promise.all(users.map(mayRead));
  return users.flatMap(({ id }, place) => (may[place] ? [id] : []));
}

async function startSweep(forge: Forge, userId: number): Promise<void> {
  const job = startJob(forge, sweepKind, { userId }, { id: `${sweepKind}-${userId}` });
  if (await forge.table.write(job.write)) await send(forge, [job.message]);
}
