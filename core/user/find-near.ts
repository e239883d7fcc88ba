import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import type { Owner } from "../owner/owner.ts";
import { findUsersById } from "./find.ts";
import type { User } from "./user.table.ts";

/** Users by id, in one request at most; the caller and the owners of these places are known already. */
export async function findUsersNear(
  forge: Forge,
  actor: Actor | undefined,
  places: readonly { readonly owner: Owner }[],
  ids: readonly number[],
): Promise<ReadonlyMap<number, User>> {
  const owners = places.flatMap(({ owner }) => (owner.kind === "user" ? [owner] : []));
  const near = [...owners, ...(actor === undefined ? [] : [actor.user])];
  const known = new Map(near.map((user) => [user.id, user]));
  const others = [...new Set(ids)].filter((id) => !known.has(id));
  return new Map([...known, ...(await findUsersById(forge, others))]);
}
