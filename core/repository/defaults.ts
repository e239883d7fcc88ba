import type { UnitName } from "../access/modes.ts";
import type { Config } from "../config.ts";
import type { MergeSettings, TrackerSettings } from "./repository.table.ts";

/** Units of a new repository. */
export const defaultUnits: readonly UnitName[] = [
  "code",
  "issues",
  "pulls",
  "releases",
  "wiki",
  "projects",
  "packages",
  "actions",
];

/** How pull requests may be merged in a new repository. */
export const defaultMerge: MergeSettings = {
  ignoreWhitespaceConflicts: false,
  allowMergeCommits: true,
  allowRebase: true,
  allowRebaseExplicit: true,
  allowSquashMerge: true,
  allowFastForwardOnlyMerge: true,
  allowRebaseUpdate: true,
  defaultDeleteBranchAfterMerge: false,
  defaultMergeStyle: "merge",
  defaultUpdateStyle: "merge",
  defaultAllowMaintainerEdit: false,
};

/** How the tracker of a new repository behaves. */
export const defaultTracker = (
  config: Pick<Config, "defaultEnableTimetracking" | "defaultTimetrackingForContributors">,
): TrackerSettings => ({
  hasTimeTracker: config.defaultEnableTimetracking,
  isTimeForContributorsOnly: config.defaultTimetrackingForContributors,
  hasDependencies: true,
});
