import type { Forge } from "../../forge.ts";
import { absent, equals } from "../../table/condition.ts";
import { check, keyText, put, remove, type Write } from "../../table/write.ts";
import {
  type ForkGuard,
  forkGuardKey,
  forkIdsOf,
  type Repository,
  repositoryKey,
} from "../repository.table.ts";

/** The guard of an owner's first fork: the write fails when they have one. */
export const firstFork = (parentId: number, ownerId: number, forkId: number): Write =>
  guardOf(parentId, ownerId, undefined, [forkId]);

/** A guard with exactly these forks, on the condition that it is as it was read. */
function guardOf(
  parentId: number,
  ownerId: number,
  read: ForkGuard | undefined,
  forkIds: readonly number[],
): Write {
  const key = forkGuardKey(parentId, ownerId);
  const { forkId: readId, moreForkIds: readMore } = read ?? {};
  const isAsRead = read === undefined ? absent : equals({ forkId: readId, moreForkIds: readMore });
  const [forkId, ...more] = [...forkIds].sort((one, other) => one - other);
  if (forkId === undefined) return remove(key, isAsRead);
  const guard: ForkGuard = { ...key, forkId, ...(more.length === 0 ? {} : { moreForkIds: more }), _v: 1 };
  return put(guard, isAsRead);
}

/** The writes that add a fork to a guard as it was read, or remove it. */
export function forkGuardWrites(
  { id, parentId, ownerId }: Pick<Repository, "id" | "ownerId"> & { readonly parentId: number },
  read: ForkGuard | undefined,
  isListed: boolean,
): Write[] {
  const listed = forkIdsOf(read);
  if (listed.includes(id) === isListed) return [];
  return [guardOf(parentId, ownerId, read, isListed ? [...listed, id] : listed.filter((one) => one !== id))];
}

/**
 * The changes at the parent of a fork that changes hands: it belongs to the new owner now. For the transaction that
 * checks that the fork is as it was read; none when the parent is being deleted.
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
    ...forkGuardWrites({ id, parentId, ownerId }, from, false),
    ...forkGuardWrites({ id, parentId, ownerId: newOwnerId }, to, true),
  ];
}

/** Whether a repository, as it was read, is this owner's fork of this parent. */
export const isForkOf = (repository: Repository | undefined, parentId: number, ownerId: number): boolean =>
  repository?.state === "live" && repository.parentId === parentId && repository.ownerId === ownerId;

/** Makes an owner's guard name a repository exactly if it is a fork of theirs; false when it is right already. */
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
  const writes = forkGuardWrites({ id, parentId, ownerId }, guard, isForkOf(fork, parentId, ownerId));
  if (writes.length === 0) return false;
  const { committed } = await table.transact([
    check(repositoryKey(parentId), equals({ state: "live" })),
    check(forkAt, fork === undefined ? absent : equals({ v: fork.v, state: fork.state })),
    ...writes,
  ]);
  return committed;
}
