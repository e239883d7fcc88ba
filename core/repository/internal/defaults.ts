import { isUnitOffered, type UnitLimits } from "../../access/enabled-units.ts";
import { type UnitName, unitKey, unitNames } from "../../access/modes.ts";
import type { Config } from "../../config.ts";
import type { MergeSettings, Repository, TrackerSettings } from "../repository.table.ts";

/** Units of a new repository, or of a new fork: the ones in the settings that the installation offers, and the code. */
export function firstUnits(
  config: UnitLimits & Pick<Config, "defaultRepoUnits" | "defaultForkRepoUnits">,
  { isFork }: Pick<Repository, "isFork">,
): UnitName[] {
  const keys = isFork ? config.defaultForkRepoUnits : config.defaultRepoUnits;
  return unitNames.filter(
    (unit) => unit === "code" || (keys.includes(unitKey(unit)) && isUnitOffered(config, unit)),
  );
}

/** How pull requests may be merged in a new repository. */
export const defaultMerge = (config: Pick<Config, "defaultMergeStyle">): MergeSettings => ({
  ignoreWhitespaceConflicts: false,
  allowMergeCommits: true,
  allowRebase: true,
  allowRebaseExplicit: true,
  allowSquashMerge: true,
  allowFastForwardOnlyMerge: true,
  allowRebaseUpdate: true,
  defaultDeleteBranchAfterMerge: false,
  defaultMergeStyle: config.defaultMergeStyle,
  defaultUpdateStyle: "merge",
  defaultAllowMaintainerEdit: false,
});

/** How the tracker of a new repository behaves. */
export const defaultTracker = (
  config: Pick<Config, "defaultEnableTimetracking" | "defaultTimetrackingForContributors">,
): TrackerSettings => ({
  hasTimeTracker: config.defaultEnableTimetracking,
  isTimeForContributorsOnly: config.defaultTimetrackingForContributors,
  hasDependencies: true,
});
