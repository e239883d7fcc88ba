import { conflict, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { randomId } from "../ids.ts";
import { all, check, equals, exists, update, type Write } from "../table.ts";
import { ownerKey } from "./owner.table.ts";
import type { Owner } from "./owner.ts";

/**
 * Says that somebody is about to delete a user or an organization and looks whether it still owns anything: nothing
 * that it would own may come to be meanwhile. Who finds a mark whose time is over takes it off first.
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

/** Takes the mark off again. */
export const unmark = async (forge: Forge, { id, deletion }: Owner): Promise<void> =>
  void (await forge.table.write(update(ownerKey(id), { unset: ["deletion"] }, equals({ deletion }))));

/**
 * Belongs into a transaction that makes something for an owner, who must be there and not about to be deleted; and as
 * visible as given, where what is made goes by it (a transaction checks an item once).
 */
export const stays = (ownerId: number, as: Partial<Pick<Owner, "visibility">> = {}): Write =>
  check(ownerKey(ownerId), all(exists, equals({ ...as, deletion: undefined })));

/**
 * Why `stays` does not hold for an owner, thrown: NotFound when it is gone, 409 while it is about to be deleted. A mark
 * whose time is over is taken off, so that the next try succeeds.
 */
export async function requireStaying(forge: Forge, { id, kind }: Pick<Owner, "id" | "kind">): Promise<void> {
  const owner = await forge.table.get<Owner>(ownerKey(id));
  if (owner === undefined) throw notFound(`the ${kind} was deleted meanwhile`);
  if (owner.deletion === undefined) return;
  if (owner.deletion.until > forge.clock.now())
    throw conflict(`the ${kind} is about to be deleted; try again`);
  await unmark(forge, owner);
}
