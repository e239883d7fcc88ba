import { nowSeconds } from "../clock.ts";
import type { Forge } from "../forge.ts";
import type { News } from "../notification/news.ts";
import { absent, any, below } from "../table/condition.ts";
import { update } from "../table/write.ts";
import { type MailCount, mailCountKey } from "./mail.table.ts";
import { longestDelayMs } from "./mail.ts";

const hourSeconds = 3_600;
const hourMs = hourSeconds * 1_000;

/** Counts one more mail of this hour for a receiver; false when they have had as many as they may. */
export function countMail({ table, clock }: Forge, receiver: string, most: number): Promise<boolean> {
  const now = nowSeconds(clock);
  const key = mailCountKey(receiver, Math.floor(now / hourSeconds));
  const changes = { add: { n: 1 }, set: { ttl: now + 2 * hourSeconds, _v: 1 } };
  return table.write(update(key, changes, any(absent, below({ n: most }))));
}

/** Whose doing mails are, and when their job was begun (milliseconds): the hour that they count in. */
export interface MailCause {
  readonly causer: string;
  readonly begunAt: number;
}

/** Whose doing news are: an account's, or the workflows' of one repository. */
export const causeOf = ({ actorId, repositoryId }: News, begunAt: number): MailCause => ({
  causer: actorId > 0 ? `by-${actorId}` : `by-workflows-${repositoryId}`,
  begunAt,
});

const causedKey = ({ causer, begunAt }: MailCause) => mailCountKey(causer, Math.floor(begunAt / hourMs));

/** How many mails more an account may cause among those that were begun in the same hour. */
export async function mailsLeftFor({ table, config }: Forge, cause: MailCause): Promise<number> {
  const { n = 0 } = (await table.get<MailCount>(causedKey(cause))) ?? {};
  return Math.max(config.mailerActorHourlyLimit - n, 0);
}

/**
 * Counts mails that went out. Afterwards, so that a mail that is tried again, or a message that is repeated, counts
 * once; what a worker sent that was killed before it came to this is not counted.
 */
export async function countCaused({ table, clock }: Forge, cause: MailCause, mails: number): Promise<void> {
  if (mails === 0) return;
  const ttl = nowSeconds(clock) + longestDelayMs / 1_000 + 2 * hourSeconds;
  await table.write(update(causedKey(cause), { add: { n: mails }, set: { ttl, _v: 1 } }));
}
