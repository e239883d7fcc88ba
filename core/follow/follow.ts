import { blockedRefusal, unblocked } from "../block/unblocked.ts";
import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { conflict, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { ownerKey } from "../owner/owner.table.ts";
import { absent, exists } from "../table/condition.ts";
import { keyText, put, remove, update, type Write } from "../table/write.ts";
import type { User } from "../user/user.table.ts";
import { type Follow, followerKey, followersOf, followKey, followsOf } from "./follow.table.ts";

const mostAttempts = 20;

/** Ids of the users that a user follows. */
export const listFollowed = (forge: Forge, userId: number): Promise<ReadonlySet<number>> =>
  idsIn(forge, followsOf(userId));

/** Ids of the users who follow a user. */
export const listFollowers = (forge: Forge, userId: number): Promise<ReadonlySet<number>> =>
  idsIn(forge, followersOf(userId));

async function idsIn({ table }: Forge, run: { readonly pk: string; readonly prefix: string }) {
  const rows = await table.queryAll<Follow>(run);
  return new Set(rows.map(({ userId }) => userId));
}

/** Whether the one follows the other. */
export const isFollowing = async (
  { table }: Forge,
  followerId: number,
  followeeId: number,
): Promise<boolean> => (await table.get(followKey(followerId, followeeId))) !== undefined;

/**
 * Lets a user follow another; does nothing when they do already, and for themselves. 403 when one of the two blocks the
 * other. Both count it.
 */
export async function createFollow(forge: Forge, follower: User, followee: User): Promise<void> {
  if (follower.id === followee.id) return;
  const createdAt = nowSeconds(forge.clock);
  const row: Follow = { ...followKey(follower.id, followee.id), userId: followee.id, createdAt, _v: 1 };
  const mirror: Follow = { ...followerKey(followee.id, follower.id), userId: follower.id, createdAt, _v: 1 };
  const outcome = await forge.table.transact([
    put(row, absent),
    put(mirror),
    unblocked(followee.id, follower.id),
    unblocked(follower.id, followee.id),
    counted(follower.id, "following", 1),
    counted(followee.id, "followers", 1),
  ]);
  if (outcome.committed || outcome.failed.includes(0)) return;
  if (outcome.failed.some((place) => place === 2 || place === 3)) throw blockedRefusal();
  throw notFound(`user does not exist [name: ${followee.name}]`);
}

/** The count of a user. It moves neither their edit version nor their entry in lists. */
const counted = (userId: number, name: "following" | "followers", by: 1 | -1): Write =>
  update(ownerKey(userId), { add: { [name]: by } }, exists);

/** Ends that a user follows another; does nothing when they don't. One of the two may be gone. */
export async function removeFollow({ table }: Forge, followerId: number, followeeId: number): Promise<void> {
  const [row, mirror] = [followKey(followerId, followeeId), followerKey(followeeId, followerId)];
  for await (const _attempt of attempts(mostAttempts)) {
    const found = await table.getAll([row, ownerKey(followerId), ownerKey(followeeId)]);
    if (!found.has(keyText(row))) return;
    const isThere = (id: number) => found.has(keyText(ownerKey(id)));
    const outcome = await table.transact([
      remove(row, exists),
      remove(mirror),
      ...(isThere(followerId) ? [counted(followerId, "following", -1)] : []),
      ...(isThere(followeeId) ? [counted(followeeId, "followers", -1)] : []),
    ]);
    if (outcome.committed) return;
  }
  throw conflict("others keep changing these follows; try again");
}

/** Ends that two users follow each other: for a block between them. */
export const removeFollowsBetween = async (forge: Forge, one: number, other: number): Promise<void> => {
  await removeFollow(forge, one, other);
  await removeFollow(forge, other, one);
};

/** Removes both ends of all follows of a deleted user: for the job that cleans up after them. */
export async function forgetFollowsOf(forge: Forge, userId: number): Promise<void> {
  for (const id of await listFollowed(forge, userId)) await removeFollow(forge, userId, id);
  for (const id of await listFollowers(forge, userId)) await removeFollow(forge, id, userId);
}
