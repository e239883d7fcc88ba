import { padded } from "../ids.ts";
import { userPartition } from "../owner/owner.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/** A user that another follows, or, at the other end, a follower. */
export interface Follow extends Item {
  readonly userId: number;
  /** Whole seconds since the epoch. */
  readonly createdAt: number;
  readonly _v: 1;
}

/** The users that a user follows. */
export const followsOf = (userId: number) => ({ pk: userPartition(userId), prefix: "FOL#" });
export const followKey = (followerId: number, followeeId: number): TableKey => ({
  pk: userPartition(followerId),
  sk: `FOL#${padded(followeeId)}`,
});
/** The users who follow a user. */
export const followersOf = (userId: number) => ({ pk: userPartition(userId), prefix: "FOLLOWER#" });
export const followerKey = (followeeId: number, followerId: number): TableKey => ({
  pk: userPartition(followeeId),
  sk: `FOLLOWER#${padded(followerId)}`,
});
