import { type AccessModeName, accessMode, type UnitName, unitNames } from "#core/access/modes";
import { invalid } from "#core/errors";
import type { Organization } from "#core/organization/organization.table";
import type { TeamChanges } from "#core/team/team";
import type { Team, UnitModes } from "#core/team/team.table";
import { presentOrganization } from "../organization/present.ts";
import type { View } from "../view.ts";
import type { TeamJson, TeamOptionJson } from "./schema.ts";

const prefix = "repo.";

/** The team in the family's form; the organization only where it is not plain from the request (semantics §25). */
export function presentTeam(view: View, team: Team, organization?: Organization): TeamJson {
  const units = unitNames.filter((name) => team.units[name] !== undefined);
  return {
    id: team.id,
    name: team.name,
    description: team.description,
    organization: organization === undefined ? null : presentOrganization(view, organization),
    includes_all_repositories: team.includesAll,
    permission: team.mode,
    units: units.map((name) => `${prefix}${name}`),
    units_map: Object.fromEntries(units.map((name) => [`${prefix}${name}`, team.units[name] ?? "none"])),
    can_create_org_repo: team.mayCreateRepositories,
  };
}

/** What a body asks for, in the words of core. 422 for units and modes that the family does not know. */
export function teamChangesFrom(body: TeamOptionJson): TeamChanges {
  return {
    ...(body.name ? { name: body.name } : {}),
    ...(body.description === undefined ? {} : { description: body.description }),
    ...(body.permission ? { mode: body.permission } : {}),
    ...(body.units === undefined ? {} : { units: body.units.map(unitFrom) }),
    ...(body.units_map === undefined ? {} : { unitModes: unitModesFrom(body.units_map) }),
    ...(body.includes_all_repositories === undefined ? {} : { includesAll: body.includes_all_repositories }),
    ...(body.can_create_org_repo === undefined ? {} : { mayCreateRepositories: body.can_create_org_repo }),
  };
}

function unitFrom(key: string): UnitName {
  const name = unitNames.find((one) => `${prefix}${one}` === key);
  if (name === undefined) throw invalid("UnitsMap", `In ${unitNames.map((one) => prefix + one).join(", ")}`);
  return name;
}

function unitModesFrom(map: Readonly<Record<string, string>>): UnitModes {
  return Object.fromEntries(
    Object.entries(map).map(([key, mode]) => {
      if (!Object.hasOwn(accessMode, mode)) throw invalid("UnitsMap", "In none, read, write, admin");
      return [unitFrom(key), mode as AccessModeName];
    }),
  );
}
