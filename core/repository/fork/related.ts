import { accessMode, modeOf } from "../../access/modes.ts";
import { isHiddenFromToken } from "../../access/public-only.ts";
import { findAccessById, findAccessesById, type RepositoryAccess } from "../../access/repository-access.ts";
import type { Actor } from "../../actor.ts";
import type { Forge } from "../../forge.ts";
import { type NameGuard, nameGuardKey } from "../../owner/owner.table.ts";
import { type ForkGuard, forkGuardKey, forkIdsOf } from "../repository.table.ts";

/**
 * The repository that `owner` or `owner/name` stands for beside a given one: itself, a fork of it that the owner has
 * (the oldest one, without a name), or its parent. Undefined when the caller may read the code of none.
 */
export async function findRelatedRepository(
  forge: Forge,
  actor: Actor | undefined,
  access: RepositoryAccess,
  text: string,
): Promise<RepositoryAccess | undefined> {
  const [ownerName = "", name, ...more] = text.split("/");
  if (more.length > 0) return undefined;
  const guard = await forge.table.get<NameGuard>(nameGuardKey(ownerName));
  if (guard === undefined) return undefined;
  const isMeant = (found: RepositoryAccess | undefined) =>
    found !== undefined &&
    found.owner.id === guard.ownerId &&
    (name === undefined || found.repository.name.toLowerCase() === name.toLowerCase()) &&
    !isHiddenFromToken(actor, found) &&
    modeOf(found.rights, "code") >= accessMode.read;
  if (isMeant(access)) return access;
  const { id, parentId } = access.repository;
  const forkIds = forkIdsOf(await forge.table.get<ForkGuard>(forkGuardKey(id, guard.ownerId)));
  const forks = forkIds.length === 0 ? undefined : await findAccessesById(forge, actor, forkIds);
  const fork = forkIds.map((forkId) => forks?.get(forkId)).find(isMeant);
  if (fork !== undefined || parentId === undefined) return fork;
  const parent = await findAccessById(forge, actor, parentId);
  return isMeant(parent) ? parent : undefined;
}
