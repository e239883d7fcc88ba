import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import type { Owner } from "../owner/owner.ts";
import { findVisibleUser } from "../user/find.ts";
import { findOrganizationAccess, type OrganizationAccess } from "./organization-access.ts";
import { isHiddenFromToken, publicOnlyRefusal } from "./public-only.ts";

/** A user or an organization, and whether the caller may create repositories there. */
export interface OwnerAccess {
  readonly owner: Owner;
  readonly mayCreateRepositories: boolean;
  /** Set when the owner is an organization. */
  readonly organization?: OrganizationAccess;
}

/**
 * The user or organization of this name; undefined when the caller may know of none (D-HIDDEN). Forbidden when the
 * caller's token is limited to public things and this is not public.
 */
export async function findOwnerAccess(
  forge: Forge,
  actor: Actor,
  name: string,
): Promise<OwnerAccess | undefined> {
  const found = await findAny(forge, actor, name);
  if (found !== undefined && isHiddenFromToken(actor, found)) throw publicOnlyRefusal();
  return found;
}

async function findAny(forge: Forge, actor: Actor, name: string): Promise<OwnerAccess | undefined> {
  const organization = await findOrganizationAccess(forge, actor, name);
  if (organization !== undefined) {
    const { mayCreateRepositories } = organization;
    return { owner: organization.organization, mayCreateRepositories, organization };
  }
  const user = await findVisibleUser(forge, actor, name);
  if (user === undefined) return undefined;
  return { owner: user, mayCreateRepositories: actor.user.isAdmin || actor.user.id === user.id };
}
