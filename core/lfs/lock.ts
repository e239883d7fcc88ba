import { posix } from "node:path";
import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { defined } from "../defined.ts";
import { badRequest, conflict, forbidden, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { nextId } from "../ids.ts";
import { absent, equals, exists } from "../table/condition.ts";
import { put, remove } from "../table/write.ts";
import { type LfsLock, type LfsLockGuard, lfsLockGuardKey, lfsLockKey, lfsLocksOf } from "./lfs.table.ts";

/** As long as git lets paths be. */
const longestPathBytes = 4096;

/** The path that a client means: below the root, whatever leads out of it. 400 for none, and for one that is too long. */
function lockedPath(path: string): string {
  const cleaned = posix.normalize(`/${path}`).replace(/^\/|\/$/g, "");
  if (cleaned === "") throw badRequest("the lock needs the path of a file");
  if (Buffer.byteLength(cleaned) > longestPathBytes || cleaned.includes("\0")) {
    throw badRequest(`a path has at most ${longestPathBytes} bytes, none of them NUL`);
  }
  return cleaned;
}

/** The result of `createLfsLock`: the lock, and whether it is a new one. */
export interface LockOutcome {
  readonly lock: LfsLock;
  readonly isNew: boolean;
}

/** Locks a path for the caller, unless it is locked: then that lock is the answer, whoever has it (semantics §55.5). */
export async function createLfsLock(
  forge: Forge,
  repositoryId: number,
  actor: Actor,
  path: string,
): Promise<LockOutcome> {
  const cleaned = lockedPath(path);
  const id = await nextId(forge.table, "lfs-lock");
  const lock: LfsLock = {
    ...lfsLockKey(repositoryId, id),
    ...{ id, repositoryId, path: cleaned, ownerId: actor.user.id, lockedAt: nowSeconds(forge.clock), _v: 1 },
  };
  const guard: LfsLockGuard = { ...lfsLockGuardKey(repositoryId, cleaned), id, _v: 1 };
  for await (const _attempt of attempts()) {
    if ((await forge.table.transact([put(guard, absent), put(lock, absent)])).committed) {
      return { lock, isNew: true };
    }
    const other = await findLfsLockByPath(forge, repositoryId, cleaned);
    if (other !== undefined) return { lock: other, isNew: false };
  }
  throw conflict("the path is being locked and unlocked by others; try again");
}

/** The lock of this id in a repository; undefined when there is none. */
export const findLfsLock = (
  { table }: Forge,
  repositoryId: number,
  id: number,
): Promise<LfsLock | undefined> => table.get<LfsLock>(lfsLockKey(repositoryId, id));

/** The lock of a path, in any letter case. */
export async function findLfsLockByPath(
  forge: Forge,
  repositoryId: number,
  path: string,
): Promise<LfsLock | undefined> {
  const guard = await forge.table.get<LfsLockGuard>(lfsLockGuardKey(repositoryId, lockedPath(path)));
  return guard === undefined ? undefined : findLfsLock(forge, repositoryId, guard.id);
}

/** Locks of a repository in the order of their ids, and where the next ones begin, if there are more. */
export interface LockPage {
  readonly locks: readonly LfsLock[];
  readonly next?: string;
}

/** A page of locks; `cursor` is the `next` of the page before. 400 for any other. */
export async function listLfsLocks(
  { table, config }: Forge,
  repositoryId: number,
  { cursor, limit = config.lfsLocksPagingNum }: { cursor?: string | undefined; limit?: number | undefined },
): Promise<LockPage> {
  if (cursor !== undefined && !/^\d{1,10}$/.test(cursor)) {
    throw badRequest("the cursor has to be the next_cursor of an answer");
  }
  const most = Math.min(Math.max(limit, 1), config.lfsLocksPagingNum);
  const after = cursor === undefined ? undefined : lfsLockKey(repositoryId, Number(cursor)).sk;
  const found = await table.queryAll<LfsLock>({
    ...lfsLocksOf(repositoryId),
    limit: most + 1,
    ...defined({ after }),
  });
  const locks = found.slice(0, most);
  return found.length > most ? { locks, next: String(locks.at(-1)?.id) } : { locks };
}

/**
 * Ends a lock and answers what it was. NotFound when there is none of this id here; Forbidden for others than its owner
 * unless they use force.
 */
export async function removeLfsLock(
  forge: Forge,
  repositoryId: number,
  actor: Actor,
  { id, isForced }: { readonly id: number; readonly isForced: boolean },
): Promise<LfsLock> {
  const lock = await findLfsLock(forge, repositoryId, id);
  const isRemoved = async ({ path }: LfsLock) => {
    const writes = [
      remove(lfsLockKey(repositoryId, id), exists),
      remove(lfsLockGuardKey(repositoryId, path), equals({ id })),
    ];
    return (await forge.table.transact(writes)).committed;
  };
  if (lock !== undefined && lock.ownerId !== actor.user.id && !isForced) {
    throw forbidden("somebody else has this lock: use force to end it all the same");
  }
  if (lock === undefined || !(await isRemoved(lock))) throw notFound(`lock does not exist [id: ${id}]`);
  return lock;
}
