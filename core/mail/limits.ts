import { nowSeconds } from "../clock.ts";
import type { Forge } from "../forge.ts";
import type { News } from "../notification/news.ts";
import { all, any, below, equals } from "../table/condition.ts";
import { update } from "../table/write.ts";
import { type MailCount, mailCountKey } from "./mail.table.ts";
import { longestDelayMs } from "./mail.ts";

const hourSeconds = 3_600;
const hourMs = hourSeconds * 1_000;
/** So many causes at least share a user's hour: what one does brings a third of the mails that a user may get. */
const sharesOfHour = 3;

/** Counts one more mail of this hour for a receiver; false when they have had as many as they may. */
export const countMail = (forge: Forge, receiver: string, most: number): Promise<boolean> =>
  countOne(forge, receiver, { n: most });

/**
 * Counts one more mail of this hour for a user; false when they have had as many as they may, or as many of who caused
 * this one as is their share. The share is the same for everybody, however near to the user: anyone can make anyone
 * their collaborator.
 */
export function countMailTo(forge: Forge, userId: number, { causer }: MailCause): Promise<boolean> {
  const most = forge.config.mailerUserHourlyLimit;
  return countOne(forge, String(userId), { n: most, [causer]: Math.ceil(most / sharesOfHour) });
}

/** Counts one more in each of these counts of a receiver's hour, unless one of them has come to its limit. */
function countOne(
  { table, clock }: Forge,
  receiver: string,
  limits: Readonly<Record<string, number>>,
): Promise<boolean> {
  const now = nowSeconds(clock);
  const key = mailCountKey(receiver, Math.floor(now / hourSeconds));
  const add = Object.fromEntries(Object.keys(limits).map((name) => [name, 1]));
  const isBelow = Object.entries(limits).map(([name, most]) =>
    any(equals({ [name]: undefined }), below({ [name]: most })),
  );
  return table.write(update(key, { add, set: { ttl: now + 2 * hourSeconds, _v: 1 } }, all(...isBelow)));
}

/** Whose doing mails are, and when their job was begun (milliseconds): the hour that they count in. */
export interface MailCause {
  readonly causer: string;
  readonly begunAt: number;
}

/** Whose doing news are: an account's, whoever's name they bear, or the workflows' of one repository. */
export const causeOf = ({ actorId, causerId = actorId, repositoryId }: News, begunAt: number): MailCause => ({
  causer: causerId > 0 ? `by-${causerId}` : `by-workflows-${repositoryId}`,
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
