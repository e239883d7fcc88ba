import { findOrganizationAccess, type OrganizationAccess } from "#core/access/organization-access";
import type { Actor } from "#core/actor";
import { forbidden, targetNotFound } from "#core/errors";
import type { Forge } from "#core/forge";
import { noSuchUser } from "#core/user/find";
import type { PathParams } from "../params.ts";
import { isNamed, requireLogin, requirePublic } from "./caller.ts";
import { requireCurrentNames } from "./moved.ts";
import type { Needs } from "./needs.ts";

/** The organization of this name; undefined when there is none, or it is hidden from the caller. */
export async function findNamedOrganization(
  forge: Forge,
  actor: Actor | undefined,
  org: string,
): Promise<OrganizationAccess | undefined> {
  const found = await findOrganizationAccess(forge, actor, org);
  if (found === undefined) return undefined;
  requireCurrentNames({ org }, { org: found.organization.name });
  requirePublic(actor, { owner: found.organization });
  return found;
}

/** The organization of the path, when the operation needs one. */
export async function resolveOrganization(
  forge: Forge,
  needs: Needs,
  actor: Actor | undefined,
  { org, username }: PathParams,
): Promise<OrganizationAccess | undefined> {
  const { organization: need } = needs;
  if (need === undefined) return undefined;
  const found = await findNamedOrganization(forge, actor, String(org));
  if (found === undefined) throw targetNotFound(noSuchUser(String(org)).message);
  requireLogin(needs, actor);
  const { isMember, isOwner } = found;
  const isSelf = need === "owner-or-self" && isNamed(actor, username);
  if (need.startsWith("owner") && !isOwner && !isSelf) throw forbidden("Must be an organization owner");
  if (need === "member" && !isMember && !isOwner) throw forbidden("Must be an organization member");
  return found;
}
