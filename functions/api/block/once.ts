import { createBlock, isBlocked, removeBlock } from "#core/block/block";
import { badRequest } from "#core/errors";
import type { Forge } from "#core/forge";
import type { Organization } from "#core/organization/organization.table";
import type { Owner } from "#core/owner/owner";
import type { User } from "#core/user/user.table";

/**
 * Blocks in Gitea's form answer 400 where Forgejo's succeed: for a block that exists already, and for organizations.
 */

/** Blocks a user. BadRequest when they are blocked already, and for an organization. */
export async function blockOnce(
  forge: Forge,
  owner: User | Organization,
  { user, note }: { user: Owner; note: string | undefined },
): Promise<undefined> {
  const blocked = requireUser(user);
  if (await isBlocked(forge, owner.id, blocked.id)) throw badRequest(`${blocked.name} is blocked already`);
  await createBlock(forge, owner, blocked, { note });
}

/** Lifts a block. BadRequest when there is none, and for an organization. */
export async function unblockOnce(forge: Forge, ownerId: number, user: Owner): Promise<undefined> {
  const blocked = requireUser(user);
  if (!(await removeBlock(forge, ownerId, blocked.id))) throw badRequest(`${blocked.name} is not blocked`);
}

function requireUser(owner: Owner): User {
  if (owner.kind !== "user" || owner.id <= 0) throw badRequest(`${owner.name} is no user's account`);
  return owner;
}
