import { type Collaborator, collaboratorsOf } from "../collaborator/collaborator.table.ts";
import type { Forge } from "../forge.ts";
import { ownerKey } from "../owner/owner.table.ts";
import { type AccessList, accessListKey, type Membership, membershipsOf } from "../team/team.table.ts";
import type { User } from "../user/user.table.ts";
import { collaborationCounts, type Grants, liveTeams } from "./grants.ts";
import { accessMode, type Rights } from "./modes.ts";
import type { RepositoryAccess } from "./repository-access.ts";
import { rightsOn, teamIncludes } from "./rights.ts";

/** A user who was given something on a repository, and all that they may do there. */
export interface Insider {
  readonly user: User;
  readonly rights: Rights;
}

/**
 * Everybody who was given something on a repository, by id: its user, its collaborators, and members of teams that have
 * it. Inactive accounts are left out.
 */
export async function listInsiders(
  forge: Forge,
  { repository, owner }: Pick<RepositoryAccess, "repository" | "owner">,
): Promise<Insider[]> {
  const grantsOfAll = await readGrants(forge, { repository, owner });
  const ids = [...new Set([...grantsOfAll.keys(), owner.id])];
  const found = await forge.table.getAll<User>(ids.map(ownerKey));
  const users = [...found.values()].filter(({ kind, isActive }) => kind === "user" && isActive);
  return users
    .sort((one, other) => one.id - other.id)
    .map((user) => ({
      user,
      rights: rightsOn(forge, { user }, repository, owner, grantsOfAll.get(user.id)),
    }));
}

/** The grants of each collaborator, and of each member of a team that has the repository. */
async function readGrants(
  { table }: Forge,
  { repository, owner }: Pick<RepositoryAccess, "repository" | "owner">,
): Promise<Map<number, Grants>> {
  const isOrganization = owner.kind === "organization";
  const [rows, members, list] = await Promise.all([
    table.queryAll<Collaborator>(collaboratorsOf(repository.id)),
    isOrganization ? table.queryAll<Membership>(membershipsOf(owner.id)) : [],
    isOrganization ? table.get<AccessList>(accessListKey(owner.id)) : undefined,
  ]);
  const teams = new Map(members.map((one) => [one.userId, liveTeams(one, list)]));
  const grantsOfAll = new Map<number, Grants>();
  for (const row of rows) {
    const own = teams.get(row.userId) ?? [];
    if (!collaborationCounts(row, owner.id, own)) continue;
    grantsOfAll.set(row.userId, { teams: own, collaboration: accessMode[row.mode], isAcquainted: false });
  }
  for (const [userId, own] of teams) {
    if (grantsOfAll.has(userId) || !own.some((team) => teamIncludes(team, repository))) continue;
    grantsOfAll.set(userId, { teams: own, collaboration: accessMode.none, isAcquainted: false });
  }
  return grantsOfAll;
}
