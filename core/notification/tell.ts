import { attempts } from "../concurrency/attempts.ts";
import { conflict } from "../errors.ts";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { nextIds } from "../ids.ts";
import { issueKey } from "../issue/issue.table.ts";
import { startJob } from "../jobs/job.ts";
import { isMailOn } from "../mail/mail.ts";
import { repositoryKey } from "../repository/repository.table.ts";
import { equals, exists } from "../table/condition.ts";
import { check, keyText } from "../table/write.ts";
import type { User } from "../user/user.table.ts";
import { type Told, writesOf } from "./internal/told.ts";
import type { News } from "./news.ts";
import { type Notification, notificationKey, type SubjectRow, subjectRowKey } from "./notification.table.ts";
import { receiversAmong, type Subject } from "./receivers.ts";
import { isSweepDue, sweepKind } from "./sweep.ts";

/** Four items each and a condition, in one transaction. */
const usersPerWrite = 20;
const mostAttempts = 20;
const mostConflicts = 3;

/**
 * Tells some users of the news, at most 500 at once: one notification for each and the subject, which turns unread
 * unless it is pinned. Left out are the actor and whom `receiversAmong` leaves out. Each user hears of news once:
 * repeated ones, and ones older than what they were told last, change nothing. Answers those who hear of it, and the
 * actor if they are among them and mail is on.
 */
export async function tellUsers(
  forge: Forge,
  news: News,
  subject: Subject,
  userIds: readonly number[],
): Promise<readonly User[]> {
  const asked = [...new Set(userIds)].filter((id) => id !== news.actorId || isMailOn(forge.config));
  const hearing = await receiversAmong(forge, news, subject, asked);
  const receivers = hearing.map(({ id }) => id).filter((id) => id !== news.actorId);
  if (news.releaseNumber === undefined) await notify(forge, news, subject, receivers);
  return hearing;
}

async function notify(
  forge: Forge,
  news: News,
  subject: Subject,
  receivers: readonly number[],
): Promise<void> {
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

async function startSweep(forge: Forge, userId: number): Promise<void> {
  const job = startJob(forge, sweepKind, { userId }, { id: `${sweepKind}-${userId}` });
  if (await forge.table.write(job.write)) await send(forge, [job.message]);
}
