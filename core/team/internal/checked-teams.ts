import type { KeptItems } from "../../lifecycle/check/checks.ts";
import type { Team } from "../team.table.ts";

/** The kind of a team's item. */
export const teamKind = "O#<organization> / TEAM#<team>";

/** Teams by id, for checks that read their kind. */
export const teamsIn = (facts: KeptItems): Map<number, Team> =>
  new Map(facts.all<Team>(teamKind).map((team) => [team.id, team]));
