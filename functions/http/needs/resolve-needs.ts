import type { OrganizationAccess, TeamAccess } from "#core/access/organization-access";
import type { PackageAccess } from "#core/access/package-access";
import type { RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import { defined } from "#core/defined";
import { unauthorized } from "#core/errors";
import type { Forge } from "#core/forge";
import type { Owner } from "#core/owner/owner";
import type { PathParams } from "../params.ts";
import { requireLogin, requireOwnPassword, requireScope, requireSiteAdmin } from "./caller.ts";
import type { Needs } from "./needs.ts";
import { resolveOrganization } from "./resolve-organization.ts";
import { resolvePackages } from "./resolve-packages.ts";
import { resolveRepository } from "./resolve-repository.ts";
import { resolveTeam, resolveTeamRepository } from "./resolve-team.ts";
import { resolveUser } from "./resolve-user.ts";

/** The things that were loaded for a request while its needs were checked. */
export interface Resolved {
  readonly access?: RepositoryAccess;
  readonly user?: Owner;
  readonly organization?: OrganizationAccess;
  readonly team?: TeamAccess;
  readonly packages?: PackageAccess;
}

/**
 * Checks the needs of an operation in the order of semantics §1.7: token scope, then for repositories and organizations
 * the target before the login (so that hidden ones are 404 for everybody), elsewhere the login first; then role.
 */
export async function resolveNeeds(
  forge: Forge,
  needs: Needs,
  request: { actor: Actor | undefined; params: PathParams; isRead: boolean },
): Promise<Resolved> {
  const { actor, params } = request;
  requireScope(needs, actor, request.isRead);
  if (needs.repository !== undefined && needs.team === undefined) {
    return { access: await resolveRepository(forge, needs, actor, params) };
  }
  const packages = await resolvePackages(forge, needs, actor, params);
  const organization = await resolveOrganization(forge, needs, actor, params);
  requireLogin(needs, actor);
  requireExplorer(forge, needs, actor);
  requireOwnPassword(needs, actor);
  requireSiteAdmin(needs, actor);
  const user = await resolveUser(forge, needs, actor, params);
  const team = await resolveTeam(forge, needs, actor, params);
  const access =
    team === undefined || needs.repository === undefined
      ? undefined
      : await resolveTeamRepository(forge, needs, actor, team, params);
  return defined({ access, organization, user, team, packages });
}

function requireExplorer({ config }: Forge, { explore }: Needs, actor: Actor | undefined): void {
  if (explore === true && actor === undefined && config.exploreRequireSigninView) {
    throw unauthorized("log in to look at users: this instance shows them to signed-in callers only");
  }
}
