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

/**
 * How many mails a receiver got, or somebody caused, in one hour since the epoch. A user's has besides, by who caused
 * them (`by-…`), how many.
 */
export interface MailCount extends Item {
  readonly n: number;
  /** Seconds. */
  readonly ttl: number;
  readonly _v: 1;
}
/** Whose they are: a user's id or the digest of an address for receivers; who caused them, behind `by-`. */
export const mailCountKey = (whose: string, hour: number): TableKey => ({
  pk: `MAILS#${whose}#${hour}`,
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
