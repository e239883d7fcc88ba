import { createHash } from "node:crypto";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { startJob } from "../jobs/job.ts";
import type { AudienceCursor } from "../notification/audience.ts";
import type { News } from "../notification/news.ts";
import type { User } from "../user/user.table.ts";
import { isMailOn, longestDelayMs, mailTurn, wantsMail } from "./mail.ts";

/** The kind of the job that mails news to some users. */
export const mailNewsKind = "mail-news";
/** The most mails that news take. */
const mostPerNews = 10_000;
/** Some users who are to get a mail of news; their rights are looked at when it is sent. */
export interface MailNews {
  readonly news: News;
  readonly userIds: readonly number[];
  /** When the job was begun (milliseconds). Absent in jobs of the program before. */
  readonly begunAt?: number;
}

/**
 * Has a job mail news to those of these users who want it, and answers how many mails the news took so far. `from` is
 * where the walk over the users was: with the same one there is one job, so a step may be repeated.
 */
export async function startMails(
  forge: Forge,
  news: News,
  users: readonly User[],
  from: AudienceCursor,
): Promise<number> {
  const { config, clock, table, log } = forge;
  const { mails = 0 } = from;
  if (!isMailOn(config) || news.at < clock.now() - longestDelayMs) return mails;
  const wanting = users.filter((user) => wantsMail(config, user, news)).map(({ id }) => id);
  const userIds = wanting.slice(0, mostPerNews - mails);
  if (userIds.length < wanting.length) {
    log.warn("mail:too-many-receivers", { ...news, leftOut: wanting.length - userIds.length });
  }
  if (userIds.length === 0) return mails;
  const digest = createHash("sha256")
    .update(JSON.stringify([news, from]))
    .digest("hex");
  const mailing: MailNews = { news, userIds, begunAt: clock.now() };
  const options = {
    id: `${mailNewsKind}-${digest.slice(0, 32)}`,
    queue: "mirrors",
    turnOf: mailTurn,
  } as const;
  const job = startJob(forge, mailNewsKind, mailing, options);
  if (await table.write(job.write)) await send(forge, [job.message]);
  return mails + userIds.length;
}
