import type { Forge } from "../forge.ts";
import { absent, equals } from "../table/condition.ts";
import { check, keyText, put, remove, type Write } from "../table/write.ts";
import {
  type ForkGuard,
  forkGuardKey,
  forkIdsOf,
  type Repository,
  repositoryKey,
} from "./repository.table.ts";

/** The guard of an owner who makes his first fork: the write fails where he has one. */
export const firstFork = (parentId: number, ownerId: number, forkId: number): Write =>
  guardOf(parentId, ownerId, undefined, [forkId]);

/** That a guard tells these forks and no others, on the condition that it is as it was read. */
function guardOf(
  parentId: number,
  ownerId: number,
  read: ForkGuard | undefined,
  forkIds: readonly number[],
): Write {
  const key = forkGuardKey(parentId, ownerId);
  const { forkId: told, moreForkIds: toldToo } = read ?? {};
  const isAsRead = read === undefined ? absent : equals({ forkId: told, moreForkIds: toldToo });
  const [forkId, ...more] = [...forkIds].sort((one, other) => one - other);
  if (forkId === undefined) return remove(key, isAsRead);
  const guard: ForkGuard = { ...key, forkId, ...(more.length === 0 ? {} : { moreForkIds: more }), _v: 1 };
  return put(guard, isAsRead);
}

/** What makes a guard, as it was read, tell of a fork, or not tell of it. */
export function toldWrites(
  { id, parentId, ownerId }: Pick<Repository, "id" | "ownerId"> & { readonly parentId: number },
  read: ForkGuard | undefined,
  isTold: boolean,
): Write[] {
  const told = forkIdsOf(read);
  if (told.includes(id) === isTold) return [];
  return [guardOf(parentId, ownerId, read, isTold ? [...told, id] : told.filter((one) => one !== id))];
}

/**
 * What a fork that changes hands changes at its parent: it is the new owner's now. For the transaction that holds the fork
 * to be as it was read; nothing where the parent is going.
 */
export async function handOverFork({ table }: Forge, fork: Repository, newOwnerId: number): Promise<Write[]> {
  const { parentId, id, ownerId } = fork;
  if (parentId === undefined) return [];
  const parentAt = repositoryKey(parentId);
  const [fromAt, toAt] = [forkGuardKey(parentId, ownerId), forkGuardKey(parentId, newOwnerId)];
  const found = await table.getAll([parentAt, fromAt, toAt]);
  if ((found.get(keyText(parentAt)) as Repository | undefined)?.state !== "live") return [];
  const [from, to] = [fromAt, toAt].map((at) => found.get(keyText(at)) as ForkGuard | undefined);
  return [
    ...toldWrites({ id, parentId, ownerId }, from, false),
    ...toldWrites({ id, parentId, ownerId: newOwnerId }, to, true),
  ];
}

/** Whether a repository, as it was read, is a fork of this parent that this owner has. */
export const isForkOf = (repository: Repository | undefined, parentId: number, ownerId: number): boolean =>
  repository?.state === "live" && repository.parentId === parentId && repository.ownerId === ownerId;

/** Makes the guard of an owner tell of a repository exactly if that is a fork of his; false when by now it does. */
export async function mendGuard(
  { table }: Forge,
  parentId: number,
  ownerId: number,
  id: number,
): Promise<boolean> {
  const [forkAt, guardAt] = [repositoryKey(id), forkGuardKey(parentId, ownerId)];
  const found = await table.getAll([forkAt, guardAt]);
  const fork = found.get(keyText(forkAt)) as Repository | undefined;
  const guard = found.get(keyText(guardAt)) as ForkGuard | undefined;
  const writes = toldWrites({ id, parentId, ownerId }, guard, isForkOf(fork, parentId, ownerId));
  if (writes.length === 0) return false;
  const { committed } = await table.transact([
    check(repositoryKey(parentId), equals({ state: "live" })),
    check(forkAt, fork === undefined ? absent : equals({ v: fork.v, state: fork.state })),
    ...writes,
  ]);
  return committed;
}
