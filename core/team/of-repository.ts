import { nobody } from "../access/acquaintance.ts";
import { isRepositoryOwner } from "../access/modes.ts";
import type { RepositoryAccess } from "../access/repository-access.ts";
import { teamIncludes } from "../access/rights.ts";
import { forbidden, notApplicable, notFound, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { Organization } from "../organization/organization.table.ts";
import type { Owner } from "../owner/owner.ts";
import { forgetRepository, giveRepository } from "./internal/repositories.ts";
import { listTeams } from "./list.ts";
import { type Team, type TeamNameGuard, teamKey, teamNameKey } from "./team.table.ts";

/** The teams that have a repository; none when its owner is a user. */
export async function listTeamsOfRepository(
  forge: Forge,
  { owner, repository }: RepositoryAccess,
): Promise<Team[]> {
  if (owner.kind === "user") return [];
  return (await listTeams(forge, owner.id)).filter((team) => teamIncludes(team, repository));
}

/**
 * A team that has a repository, by its name; 405 when the owner is a user. NotFound for all others: readers of the
 * repository need not know which other teams there are (D-HIDDEN).
 */
export async function getTeamOfRepository(
  forge: Forge,
  { owner, repository }: RepositoryAccess,
  name: string,
): Promise<Team> {
  const team = await getOfOwner(forge, owner, name);
  if (teamIncludes(team, repository)) return team;
  throw noSuchTeam(name);
}

const noSuchTeam = (name: string) => notFound(`team does not exist [name: ${name}]`);

/** A team of a repository's owner by its name; 405 when that is a user, NotFound when there is no such team. */
async function getOfOwner(forge: Forge, owner: Owner, name: string): Promise<Team> {
  const { id } = requireOrganization(owner);
  const guard = await forge.table.get<TeamNameGuard>(teamNameKey(id, name));
  const team = await forge.table.get<Team>(teamKey(id, guard?.teamId ?? nobody));
  if (team === undefined) throw noSuchTeam(name);
  return team;
}

/** As `addTeamRepository`, to a team of this name. 422 when the team has the repository already. */
export async function addTeamToRepository(
  forge: Forge,
  access: RepositoryAccess,
  name: string,
): Promise<void> {
  requireRight(access);
  const team = await getOfOwner(forge, access.owner, name);
  if (teamIncludes(team, access.repository)) throw unprocessable("the team has this repository already");
  await addTeamRepository(forge, access, team);
}

/** As `removeTeamRepository`, from a team of this name. 422 when the team does not have the repository. */
export async function removeTeamFromRepository(
  forge: Forge,
  access: RepositoryAccess,
  name: string,
): Promise<void> {
  requireRight(access);
  const team = await getOfOwner(forge, access.owner, name);
  if (!teamIncludes(team, access.repository)) throw unprocessable("the team does not have this repository");
  await removeTeamRepository(forge, access, team);
}

/**
 * Gives a repository to a team of its organization, for a caller with these rights on it; does nothing when the team
 * has it already. 403 for an administrator when the organization lets only owners decide which teams have what.
 */
export async function addTeamRepository(forge: Forge, access: RepositoryAccess, team: Team): Promise<void> {
  requireRight(access);
  await giveRepository(forge, team, access.repository);
}

/** Takes a repository from a team, like `addTeamRepository`. 422 when the team has all of them. */
export async function removeTeamRepository(
  forge: Forge,
  access: RepositoryAccess,
  team: Team,
): Promise<void> {
  requireRight(access);
  if (team.includesAll) throw unprocessable("the team has all repositories of its organization");
  await forgetRepository(forge, team, access.repository);
}

function requireOrganization(owner: Owner): Organization {
  if (owner.kind === "organization") return owner;
  throw notApplicable("the repository's owner is a user, who has no teams");
}

/** Administrators that are no owners of the repository need the organization's leave. */
function requireRight({ owner, rights }: RepositoryAccess): void {
  if (isRepositoryOwner(rights) || requireOrganization(owner).letsAdminsChangeTeams) return;
  throw forbidden("the organization lets only its owners change the teams of a repository");
}
