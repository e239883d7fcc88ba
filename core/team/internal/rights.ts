import { type AccessModeName, accessMode, type UnitName, unitNames } from "../../access/modes.ts";
import { type ForgeError, invalid } from "../../errors.ts";
import type { Team, UnitModes } from "../team.table.ts";

/** A team's rights as callers ask for them, unchecked. */
export interface AskedRights {
  readonly mode?: "read" | "write" | "admin";
  /** Each gets the team's mode; an empty list leaves the team without units. */
  readonly units?: readonly UnitName[];
  /** Wins over `units`; the team's mode is then the least of these, `admin` only when all are (decision 12). */
  readonly unitModes?: UnitModes;
}

type TeamModes = Pick<Team, "mode" | "units">;

/** Trackers and wikis elsewhere can only be linked to: there is nothing to write (semantics §3.2). */
const readOnlyUnits: ReadonlySet<UnitName> = new Set(["ext_issues", "ext_wiki"]);

/**
 * The rights of a team after `asked` (semantics §25); absent members stay as in `current`. 422 as a value when nothing
 * says which units a new team may use; they may be empty (D-UNITSMAP).
 */
export function rightsFrom(asked: AskedRights, current?: TeamModes): TeamModes | ForgeError {
  const mode = asked.mode ?? current?.mode ?? "read";
  if (mode === "admin" || mode === "owner") return allUnits(mode);
  if (asked.unitModes !== undefined && Object.keys(asked.unitModes).length > 0) {
    return fromMap(asked.unitModes);
  }
  const units = asked.units ?? (asked.mode === undefined ? undefined : unitsOf(current));
  if (units !== undefined) return { mode, units: each(units, mode) };
  if (current !== undefined && asked.mode === undefined) return current;
  return invalid("Units", "Required: name the units that the team may use, in units_map or units");
}

/** The rights of a team that may do everything as administrator, or as owner. */
export const allUnits = (mode: "admin" | "owner"): TeamModes => ({ mode, units: each(unitNames, mode) });

const unitsOf = (team: TeamModes | undefined): UnitName[] | undefined =>
  team === undefined ? undefined : (Object.keys(team.units) as UnitName[]);

function each(units: readonly UnitName[], mode: AccessModeName): UnitModes {
  return Object.fromEntries(units.map((unit) => [unit, atMost(unit, mode)]));
}

const atMost = (unit: UnitName, mode: AccessModeName): AccessModeName =>
  readOnlyUnits.has(unit) && mode !== "none" ? "read" : mode;

function fromMap(given: UnitModes): TeamModes | ForgeError {
  const entries = Object.entries(given) as [UnitName, AccessModeName][];
  if (entries.some(([, mode]) => mode === "owner")) {
    return invalid("UnitsMap", "In none, read, write, admin");
  }
  const granted = entries.filter(([, mode]) => mode !== "none");
  const [least = "none"] = granted.map(([, mode]) => mode).sort((a, b) => accessMode[a] - accessMode[b]);
  const units: UnitModes = Object.fromEntries(entries.map(([unit, mode]) => [unit, atMost(unit, mode)]));
  return { mode: least === "admin" && !administersAll(units) ? "write" : least, units };
}

/** Whether the team may do everything: an administrator of some units is none of the repository. */
const administersAll = (units: UnitModes): boolean =>
  unitNames.every((unit) => readOnlyUnits.has(unit) || units[unit] === "admin");
