import { type AccessModeName, accessMode, isRepositoryAdmin } from "../access/modes.ts";
import { findAccessById, type RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { forbidden } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { getUserByName } from "../user/find.ts";
import type { User } from "../user/user.table.ts";

/**
 * A user's access to the whole of a repository. For the user, its administrators and site administrators, 403 for
 * others; NotFound when there is no such user (semantics §3.6).
 */
export async function repositoryPermissionOf(
  forge: Forge,
  actor: Actor,
  { repository, rights }: RepositoryAccess,
  name: string,
): Promise<{ user: User; mode: AccessModeName }> {
  const isSelf = actor.user.name.toLowerCase() === name.toLowerCase();
  if (!isSelf && !isRepositoryAdmin(rights)) {
    throw forbidden("only the user and administrators of the repository may see this");
  }
  const user = await getUserByName(forge, actor, name);
  const access = await findAccessById(forge, { user }, repository.id, repository.ownerId);
  const base = access?.rights.base ?? accessMode.none;
  const names = Object.keys(accessMode) as AccessModeName[];
  return { user, mode: names.find((one) => accessMode[one] === base) ?? "none" };
}
