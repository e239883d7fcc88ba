import { packTeams, type TeamRights, teamRightsOf, unpackTeams } from "../../access/team-rights.ts";
import { absent, equals } from "../../table/condition.ts";
import { put, type Write } from "../../table/write.ts";
import { type AccessList, accessListKey, type Team } from "../team.table.ts";

/** With more teams each request of a member would read more than it needs. */
export const mostTeams = 500;

/** The access list of an organization that has just this team. */
export const firstAccessList = (organizationId: number, team: Team): Write =>
  put(listOf(organizationId, [teamRightsOf(team)], 1), absent);

/** The list with this team's rights in place of its former ones, or behind the others. */
export function withTeam(list: AccessList, organizationId: number, team: Team): Write {
  const others = unpackTeams(list.teams).filter(({ id }) => id !== team.id);
  return replaced(list, organizationId, [...others, teamRightsOf(team)]);
}

/** The list without this team: from the commit on it gives nothing to anybody. */
export function withoutTeam(list: AccessList, organizationId: number, teamId: number): Write {
  const left = unpackTeams(list.teams).filter(({ id }) => id !== teamId);
  return replaced(list, organizationId, left);
}

function replaced(list: AccessList, organizationId: number, teams: readonly TeamRights[]): Write {
  return put(listOf(organizationId, teams, list.v + 1), equals({ v: list.v }));
}

const listOf = (organizationId: number, teams: readonly TeamRights[], v: number): AccessList => ({
  ...accessListKey(organizationId),
  teams: packTeams(teams),
  v,
  _v: 1,
});
