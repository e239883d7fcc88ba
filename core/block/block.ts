import { nowSeconds } from "../clock.ts";
import { badRequest, invalid, notFound, unprocessable } from "../errors.ts";
import { send } from "../events/outbox.ts";
import { removeFollowsBetween } from "../follow/follow.ts";
import type { Forge } from "../forge.ts";
import { startJob } from "../jobs/job.ts";
import { ownerKey } from "../owner/owner.table.ts";
import type { Owner } from "../owner/owner.ts";
import { absent, exists } from "../table/condition.ts";
import { check, keyText, put, remove } from "../table/write.ts";
import { membershipKey } from "../team/team.table.ts";
import type { User } from "../user/user.table.ts";
import {
  type Block,
  type BlockMirror,
  blockKey,
  blockMirrorKey,
  blockMirrorsOf,
  blocksOf,
} from "./block.table.ts";

const longestNote = 255;
/** All are read to show a page of them. */
const mostBlocks = 2_000;

/** The users that an owner blocks, newest first. */
export async function listBlocks({ table }: Forge, ownerId: number): Promise<Block[]> {
  const blocks = await table.queryAll<Block>(blocksOf(ownerId));
  return blocks.sort((one, other) => other.createdAt - one.createdAt || other.userId - one.userId);
}

/** An owner's block of a user, or undefined. */
export const findBlock = ({ table }: Forge, ownerId: number, userId: number): Promise<Block | undefined> =>
  table.get<Block>(blockKey(ownerId, userId));

/** Whether an owner blocks a user. */
export const isBlocked = async (forge: Forge, ownerId: number, userId: number): Promise<boolean> =>
  (await findBlock(forge, ownerId, userId)) !== undefined;

/**
 * Whether one of the owners blocks the user, in one request: a repository's owner and an issue's author, for instance.
 */
export const isBlockedByAny = async (
  forge: Forge,
  ownerIds: readonly number[],
  userId: number,
): Promise<boolean> => (await findBlockers(forge, ownerIds, userId)).size > 0;

/** Which of the owners block the user, in one request. */
export async function findBlockers(
  { table }: Forge,
  ownerIds: readonly number[],
  userId: number,
): Promise<Set<number>> {
  const found = await table.getAll(ownerIds.map((ownerId) => blockKey(ownerId, userId)));
  return new Set(ownerIds.filter((ownerId) => found.has(keyText(blockKey(ownerId, userId)))));
}

/**
 * Blocks a user on behalf of an owner. A blocked user stays blocked, with the new remark if there is one. A job ends
 * the rights that the two had on each other's repositories. BadRequest for oneself and, unless the caller allows it,
 * for a member of the blocking organization; 422 for too long a remark and past 2,000 blocks.
 */
export async function createBlock(
  forge: Forge,
  owner: Pick<Owner, "id" | "kind">,
  user: Pick<User, "id" | "name">,
  {
    note = "",
    mayBeMember = false,
  }: { readonly note?: string | undefined; readonly mayBeMember?: boolean } = {},
): Promise<void> {
  if (owner.id === user.id) throw badRequest("you can't block yourself");
  if (note.length > longestNote) throw invalid("Note", `MaxSize ${longestNote}`);
  const [before, blocks] = await Promise.all([
    findBlock(forge, owner.id, user.id),
    listBlocks(forge, owner.id),
  ]);
  if (before !== undefined && (note === "" || note === before.note)) return endFollowing(forge, owner, user);
  if (before === undefined && blocks.length >= mostBlocks) {
    throw unprocessable(`at most ${mostBlocks} users may be blocked: lift another block first`);
  }
  const createdAt = before?.createdAt ?? nowSeconds(forge.clock);
  const block: Block = { ...blockKey(owner.id, user.id), userId: user.id, note, createdAt, _v: 1 };
  const mirror: BlockMirror = { ...blockMirrorKey(user.id, owner.id), ownerId: owner.id, _v: 1 };
  const bothExist = [check(ownerKey(owner.id), exists), check(ownerKey(user.id), exists)];
  const isOutside =
    owner.kind === "user" || mayBeMember ? [] : [check(membershipKey(owner.id, user.id), absent)];
  const job = startJob(forge, "end-collaborations", { ownerId: owner.id, userId: user.id });
  const writes = [...bothExist, ...isOutside, put(block), put(mirror), job.write];
  const outcome = await forge.table.transact(writes);
  if (outcome.committed) {
    await Promise.all([endFollowing(forge, owner, user), send(forge, [job.message])]);
    return;
  }
  if (!outcome.failed.includes(bothExist.length)) throw notFound("one of the two was deleted meanwhile");
  throw badRequest(`${user.name} is a member of the organization: take them out before you block them`);
}

/** Ends following between the two, in both directions. */
async function endFollowing(
  forge: Forge,
  { id, kind }: Pick<Owner, "id" | "kind">,
  user: Pick<User, "id">,
): Promise<void> {
  if (kind === "user") await removeFollowsBetween(forge, id, user.id);
}

/** Lifts a block, and answers whether there was one. */
export async function removeBlock({ table }: Forge, ownerId: number, userId: number): Promise<boolean> {
  const mirror = remove(blockMirrorKey(userId, ownerId));
  return (await table.transact([remove(blockKey(ownerId, userId), exists), mirror])).committed;
}

/** Removes the blocks of and by a deleted user, at both ends: for the job that cleans up after them. */
export async function forgetBlocksOf({ table }: Forge, id: number): Promise<void> {
  const [blocks, mirrors] = await Promise.all([
    table.queryAll<Block>(blocksOf(id)),
    table.queryAll<BlockMirror>(blockMirrorsOf(id)),
  ]);
  await table.removeAll([
    ...blocks.flatMap((block) => [block, blockMirrorKey(block.userId, id)]),
    ...mirrors.flatMap((mirror) => [mirror, blockKey(mirror.ownerId, id)]),
  ]);
}
