import { padded } from "../ids.ts";
import type { Item, TableKey } from "../table/write.ts";

/** A mail of a thing went to a user, or never will. */
export interface Mailed extends Item {
  /** Seconds. */
  readonly ttl: number;
  readonly _v: 1;
}
export const mailedKey = (thing: string, userId: number): TableKey => ({
  pk: `MAILED#${thing}`,
  sk: padded(userId),
});

/** How many mails a receiver got in one hour since the epoch. */
export interface MailCount extends Item {
  readonly n: number;
  /** Seconds. */
  readonly ttl: number;
  readonly _v: 1;
}
/** A receiver is a user's id, or the digest of an address. */
export const mailCountKey = (receiver: string, hour: number): TableKey => ({
  pk: `MAILS#${receiver}#${hour}`,
  sk: "#",
});

/** The mail server did not take mail; nobody asks it again before the end of a pause. Times are milliseconds. */
export interface Outage extends Item {
  readonly since: number;
  readonly until: number;
  readonly failures: number;
  /** Seconds. */
  readonly ttl: number;
  readonly _v: 1;
}
export const outageKey: TableKey = { pk: "MAILSERVER", sk: "OUTAGE" };
