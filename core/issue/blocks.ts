import { isRepositoryAdmin } from "../access/modes.ts";
import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { isBlockedByAny } from "../block/block.ts";
import { forbidden } from "../errors.ts";
import type { Forge } from "../forge.ts";

/** Forbidden when the repository's owner, or the author of the issue or comment, blocks the user (semantics §19.2). */
export async function requireUnblocked(
  forge: Forge,
  { repository, rights }: Pick<RepositoryAccess, "repository" | "rights">,
  { user }: Actor,
  authorId: number,
): Promise<void> {
  if (isRepositoryAdmin(rights)) return;
  const others = [...new Set([repository.ownerId, authorId])].filter((id) => id !== user.id);
  if (await isBlockedByAny(forge, others, user.id)) {
    throw forbidden("the owner of the repository or the author of the issue has blocked you");
  }
}
