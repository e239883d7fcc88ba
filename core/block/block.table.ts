import { padded } from "../ids.ts";
import { ownerKey, userPartition } from "../owner/owner.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/** A user that an owner (a user or an organization) blocks. */
export interface Block extends Item {
  readonly userId: number;
  /** The owner's own remark. */
  readonly note: string;
  /** Whole seconds since the epoch. */
  readonly createdAt: number;
  readonly _v: 1;
}

/** The same block in the blocked user's partition, so that both ends can be removed. */
export interface BlockMirror extends Item {
  readonly ownerId: number;
  readonly _v: 1;
}

const blockPrefix = "BLOCK#";
/** The users that an owner blocks. */
export const blocksOf = (ownerId: number) => ({ pk: ownerKey(ownerId).pk, prefix: blockPrefix });
export const blockKey = (ownerId: number, userId: number): TableKey => ({
  pk: ownerKey(ownerId).pk,
  sk: `${blockPrefix}${padded(userId)}`,
});
/** The owners that block a user. */
export const blockMirrorsOf = (userId: number) => ({ pk: userPartition(userId), prefix: "BLOCKEDBY#" });
export const blockMirrorKey = (userId: number, ownerId: number): TableKey => ({
  pk: userPartition(userId),
  sk: `BLOCKEDBY#${padded(ownerId)}`,
});
