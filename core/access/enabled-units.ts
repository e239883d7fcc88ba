import type { Config } from "../config.ts";
import type { Repository } from "../repository/repository.table.ts";
import { bitsOfUnits, type UnitName, unitKey, unitNames } from "./modes.ts";

/** The settings that say which units the whole installation lacks. */
export type UnitLimits = Pick<Config, "disabledRepoUnits">;

/** Whether repositories of this installation can have a unit (semantics §3.2). */
export const isUnitOffered = ({ disabledRepoUnits }: UnitLimits, unit: UnitName): boolean =>
  !disabledRepoUnits.includes(unitKey(unit));

/** The units that repositories of this installation can have, as bits. */
export const offeredUnits = (limits: UnitLimits): number =>
  bitsOfUnits(unitNames.filter((unit) => isUnitOffered(limits, unit)));

/** The code unit as bits. Every installation offers it. */
export const codeUnit: number = bitsOfUnits(["code"]);

/**
 * The units that a repository has now. The repository's item keeps units that the installation doesn't offer, so they
 * come back when it offers them again.
 */
export function enabledUnits(limits: UnitLimits, { units }: Pick<Repository, "units">): Set<UnitName> {
  const isLimited = limits.disabledRepoUnits.length > 0;
  return new Set(isLimited ? units.filter((unit) => isUnitOffered(limits, unit)) : units);
}
