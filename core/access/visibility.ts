import type { Actor } from "../actor.ts";
import type { Organization } from "../organization/organization.table.ts";
import type { User } from "../user/user.table.ts";

/**
 * Whether the caller may know of this user (semantics §3.4), from the two of them alone. Members of a shared
 * organization may, too: see `acquaintance.ts`.
 */
export function maySeeUser(actor: Actor | undefined, user: Pick<User, "id" | "visibility">): boolean {
  if (user.visibility === "public") return true;
  if (actor === undefined) return false;
  if (actor.user.isAdmin || actor.user.id === user.id) return true;
  return user.visibility === "limited" && !actor.user.isRestricted;
}

/**
 * Whether the caller may know of this organization. Members always may; restricted users may know of no other
 * (semantics §3.4).
 */
export function maySeeOrganization(
  actor: Actor | undefined,
  { visibility }: Pick<Organization, "visibility">,
  isMember: boolean,
): boolean {
  if (actor === undefined) return visibility === "public";
  if (actor.user.isAdmin || isMember) return true;
  return visibility !== "private" && !actor.user.isRestricted;
}
