import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { issueKey } from "../issue/issue.table.ts";
import { type JobKind, startJob } from "../jobs/job.ts";
import { startMails } from "../mail/start-mails.ts";
import { exists } from "../table/condition.ts";
import { check, put } from "../table/write.ts";
import { type AudienceCursor, namedUsers, readAudience } from "./audience.ts";
import type { News } from "./news.ts";
import { participant } from "./notification.table.ts";
import { findSubject } from "./receivers.ts";
import { tellUsers } from "./tell.ts";

/** The kind of the job that goes on telling people when there are many. */
export const spreadKind = "spread-news";

/**
 * Tells everybody who hears of the news: 500 at once, the rest in a job of as many steps as it takes. May be repeated:
 * with the same `eventId`, whose last digit is hexadecimal, there is one job. Nothing happens when the subject is gone.
 */
export async function spreadNews(forge: Forge, news: News, eventId: string): Promise<void> {
  const next = await spreadStep(forge, news, { list: 0 });
  if (next === undefined) return;
  const job = startJob(forge, spreadKind, { news, from: next }, { id: `${spreadKind}-${eventId}` });
  if (await forge.table.write(job.write)) await send(forge, [job.message]);
}

/** The job that tells the others. */
export const spreadJob: JobKind<{ readonly news: News; readonly from: AudienceCursor }, AudienceCursor> = {
  async step(forge, { news, from }, cursor) {
    const next = await spreadStep(forge, news, cursor ?? from);
    return next === undefined ? { done: true } : { cursor: next };
  },
};

/** Notes that somebody takes part in an issue, because they commented or reviewed. May be repeated. */
export async function noteParticipant(
  { table }: Forge,
  repositoryId: number,
  number: number,
  userId: number,
): Promise<void> {
  const item = participant(repositoryId, number, userId);
  if ((await table.get(item)) !== undefined) return;
  await table.transact([check(issueKey(repositoryId, number), exists), put(item)]);
}

async function spreadStep(
  forge: Forge,
  news: News,
  from: AudienceCursor,
): Promise<AudienceCursor | undefined> {
  const subject = await findSubject(forge, news);
  if (subject === undefined) return undefined;
  const named = await namedUsers(forge, news);
  const { userIds, next } =
    named === undefined ? await readAudience(forge, subject, from) : { userIds: named, next: undefined };
  const hearing = await tellUsers(forge, news, subject, userIds);
  const mails = await startMails(forge, news, hearing, from);
  return next && { ...next, ...(mails === 0 ? {} : { mails }) };
}
