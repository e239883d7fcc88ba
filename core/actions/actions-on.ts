import { enabledUnits, type UnitLimits } from "../access/enabled-units.ts";
import type { Repository } from "../repository/repository.table.ts";

/** Whether workflows of a repository run now: it lives, is not archived, and has the unit here. */
export const isActionsOn = (
  limits: UnitLimits,
  repository: Pick<Repository, "state" | "isArchived" | "units">,
): boolean =>
  repository.state === "live" && !repository.isArchived && enabledUnits(limits, repository).has("actions");
