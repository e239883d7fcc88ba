import type { Actor } from "../actor.ts";
import { list } from "../directory/directory.ts";
import { userDirectory } from "../directory/users.ts";
import type { Forge } from "../forge.ts";
import type { Visibility } from "../owner/owner.table.ts";

/** What lists know of a repository without reading it. */
export interface ListedRepository {
  readonly ownerId: number;
  readonly isPrivate: boolean;
}

/**
 * A test for lists: whether the caller may see a repository, from what the directory knows. It finds candidates and
 * counts them; rights are computed anew from the repository itself before it is shown (semantics §3.3).
 */
export async function findListingTest(
  forge: Forge,
  actor: Actor | undefined,
): Promise<(repository: ListedRepository) => boolean> {
  const isPublicOnly = actor?.grant?.isPublicOnly === true;
  if (actor?.user.isAdmin === true) return ({ isPrivate }) => !(isPrivate && isPublicOnly);
  const hiddenOwners = await findHiddenOwners(forge, actor);
  return ({ ownerId, isPrivate }) => {
    if (isPrivate && isPublicOnly) return false;
    if (ownerId === actor?.user.id) return true;
    return !isPrivate && actor?.user.isRestricted !== true && !hiddenOwners.has(ownerId);
  };
}

/** Owners that the caller may not know of; his own id may be among them. */
async function findHiddenOwners(forge: Forge, actor: Actor | undefined): Promise<ReadonlySet<number>> {
  const hidden: readonly Visibility[] =
    actor === undefined || actor.user.isRestricted ? ["limited", "private"] : ["private"];
  const { ids } = await list(forge, userDirectory, {
    filter: { accepts: ({ visibility }) => hidden.includes(visibility) },
    sort: { by: "id" },
    page: 1,
    limit: Number.MAX_SAFE_INTEGER,
  });
  return new Set(ids);
}
