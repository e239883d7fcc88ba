import { type AccessModeName, accessMode, unitFrom, unitKey, unitNames } from "#core/access/modes";
import { defined } from "#core/defined";
import { invalid } from "#core/errors";
import type { Organization } from "#core/organization/organization.table";
import type { TeamChanges } from "#core/team/edit";
import type { Team } from "#core/team/team.table";
import type { View } from "../../http/answer/view.ts";
import { presentOrganization } from "../organization/present.ts";
import type { TeamJson, TeamOptionJson } from "./schema.ts";

/** The team in the family's form; the organization only when the request does not imply it (semantics §25). */
export function presentTeam(view: View, team: Team, organization?: Organization): TeamJson {
  const units = unitNames.filter((name) => team.units[name] !== undefined);
  return {
    id: team.id,
    name: team.name,
    description: team.description,
    organization: organization === undefined ? null : presentOrganization(view, organization),
    includes_all_repositories: team.includesAll,
    permission: team.mode,
    units: units.map(unitKey),
    units_map: Object.fromEntries(units.map((name) => [unitKey(name), team.units[name] ?? "none"])),
    can_create_org_repo: team.mayCreateRepositories,
  };
}

/**
 * A body in core's terms. Empty names, lists and maps change nothing: clients whose language has no absent values send
 * them. 422 for modes that the family does not know.
 */
export function teamChangesFrom(body: TeamOptionJson): TeamChanges {
  return {
    ...defined({
      name: body.name || undefined,
      description: body.description,
      mode: body.permission || undefined,
    }),
    ...unitsFrom(body),
    ...defined({
      includesAll: body.includes_all_repositories,
      mayCreateRepositories: body.can_create_org_repo,
    }),
  };
}

/** Unknown units are ignored, as in the family: a list of only such units leaves a team without any. */
function unitsFrom({
  units = [],
  units_map: map = {},
}: TeamOptionJson): Pick<TeamChanges, "units" | "unitModes"> {
  const given = Object.entries(map);
  const modes = given.flatMap(([key, mode]) => {
    const unit = unitFrom(key);
    return unit === undefined ? [] : [[unit, modeFrom(mode)] as const];
  });
  if (modes.length > 0) return { unitModes: Object.fromEntries(modes) };
  return given.length + units.length === 0 ? {} : { units: units.flatMap((key) => unitFrom(key) ?? []) };
}

function modeFrom(mode: string): AccessModeName {
  if (!Object.hasOwn(accessMode, mode)) throw invalid("UnitsMap", "In none, read, write, admin");
  return mode as AccessModeName;
}
