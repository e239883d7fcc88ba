import { userPartition } from "../owner/owner.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/** A browser in which a user is signed in. Times are seconds since the epoch. */
export interface Session extends Item {
  /** SHA-256 of the secret in its cookie, in hex: nobody who reads the table can use it. */
  readonly id: string;
  readonly userId: number;
  /** The account's state when the session began (`standingOf`): the session counts while this is unchanged. */
  readonly standing: string;
  readonly createdAt: number;
  /** The last use, as far as it was written. */
  readonly usedAt: number;
  /** Where it was opened: for its owner to recognize it. */
  readonly address: string;
  readonly userAgent: string;
  readonly ttl: number;
  readonly _v: 1;
}

/** Sort keys of a user's sessions begin with this. */
export const sessionPrefix = "SESSION#";

export const sessionKey = (userId: number, id: string): TableKey => ({
  pk: userPartition(userId),
  sk: `${sessionPrefix}${id}`,
});
