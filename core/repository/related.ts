import { accessMode, modeOf } from "../access/modes.ts";
import { isShut } from "../access/public-only.ts";
import { findAccessById, type RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import { type NameGuard, nameGuardKey } from "../owner/owner.table.ts";
import { type ForkRow, forkGuardKey } from "./repository.table.ts";

/**
 * The repository that `owner` or `owner/name` stands for beside a given one: itself, the owner's fork of it, or what it is
 * a fork of. Undefined when there is none of which the caller may read the code.
 */
export async function findRelated(
  forge: Forge,
  actor: Actor | undefined,
  access: RepositoryAccess,
  text: string,
): Promise<RepositoryAccess | undefined> {
  const [ownerName = "", name, ...more] = text.split("/");
  if (more.length > 0) return undefined;
  const guard = await forge.table.get<NameGuard>(nameGuardKey(ownerName));
  if (guard === undefined) return undefined;
  const { id, parentId } = access.repository;
  const fork = await forge.table.get<ForkRow>(forkGuardKey(id, guard.ownerId));
  for (const candidate of [id, fork?.forkId, parentId]) {
    if (candidate === undefined) continue;
    const found = candidate === id ? access : await findAccessById(forge, actor, candidate);
    if (found === undefined || isShut(actor, found)) continue;
    if (modeOf(found.rights, "code") < accessMode.read) continue;
    const isNamed = name === undefined || found.repository.name.toLowerCase() === name.toLowerCase();
    if (isNamed && found.owner.id === guard.ownerId) return found;
  }
  return undefined;
}
