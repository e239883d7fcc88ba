import type { Config } from "../config.ts";
import type { Repository } from "../repository/repository.table.ts";
import { type UnitName, unitKey } from "./modes.ts";

/** The settings that say which units the whole installation lacks. */
export type UnitLimits = Pick<Config, "disabledRepoUnits">;

/** Whether repositories of this installation can have a unit (semantics §3.2). */
export const isUnitOffered = ({ disabledRepoUnits }: UnitLimits, unit: UnitName): boolean =>
  !disabledRepoUnits.includes(unitKey(unit));

/**
 * The units that a repository has. What the installation lacks stays in the repository's item, so that it is there again
 * once the installation offers it: only this says what is there now.
 */
export function enabledUnits(limits: UnitLimits, { units }: Pick<Repository, "units">): Set<UnitName> {
  const isLimited = limits.disabledRepoUnits.length > 0;
  return new Set(isLimited ? units.filter((unit) => isUnitOffered(limits, unit)) : units);
}
