import { conflict, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { randomId } from "../ids.ts";
import { all, equals, exists } from "../table/condition.ts";
import { check, update, type Write } from "../table/write.ts";
import { ownerKey } from "./owner.table.ts";
import type { Owner } from "./owner.ts";

/**
 * Marks a user or an organization while somebody checks whether it still owns anything before its deletion: nothing may
 * be created for it meanwhile. A request that finds an expired mark removes it first.
 */
export interface DeletionMark {
  readonly id: string;
  /** Milliseconds. */
  readonly until: number;
}

/** Far longer than the few requests in between. */
const markMs = 30_000;

/** Marks an owner and answers it as it is under the mark: a transaction on the condition of this mark then holds. */
export async function markForDeletion<O extends Owner>(forge: Forge, { id, kind, name }: O): Promise<O> {
  const deletion: DeletionMark = { id: randomId(), until: forge.clock.now() + markMs };
  await forge.table.write(update(ownerKey(id), { set: { deletion } }, all(exists, equals({ name }))));
  const marked = await forge.table.get<O>(ownerKey(id));
  if (marked?.deletion?.id !== deletion.id) throw notFound(`${kind} does not exist [name: ${name}]`);
  return marked;
}

/** Removes the mark again. */
export const unmarkDeletion = async (forge: Forge, { id, deletion }: Owner): Promise<void> =>
  void (await forge.table.write(update(ownerKey(id), { unset: ["deletion"] }, equals({ deletion }))));

/**
 * Belongs in a transaction that makes something for an owner, who must exist and not be about to be deleted; and have
 * the given visibility when the new thing depends on it (a transaction checks an item once).
 */
export const ownerStays = (ownerId: number, as: Partial<Pick<Owner, "visibility">> = {}): Write =>
  check(ownerKey(ownerId), all(exists, equals({ ...as, deletion: undefined })));

/**
 * Throws why `ownerStays` does not hold for an owner: NotFound when it is gone, 409 while it is about to be deleted. An
 * expired mark is removed, so that the next try succeeds.
 */
export async function requireStaying(forge: Forge, { id, kind }: Pick<Owner, "id" | "kind">): Promise<void> {
  const owner = await forge.table.get<Owner>(ownerKey(id));
  if (owner === undefined) throw notFound(`the ${kind} was deleted meanwhile`);
  if (owner.deletion === undefined) return;
  if (owner.deletion.until > forge.clock.now())
    throw conflict(`the ${kind} is about to be deleted; try again`);
  await unmarkDeletion(forge, owner);
}
