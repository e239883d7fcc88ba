import { enabledUnits } from "../access/enabled-units.ts";
import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { badRequest, forbidden } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { getIssue } from "../issue/change/change.ts";
import type { Issue } from "../issue/issue.table.ts";
import { isIssueWriter, mayEditIssue } from "../issue/rights.ts";

/** Whether time is tracked in a repository: the instance and the repository say so, and it has an issue tracker. */
export const isTracked = (
  { config }: Pick<Forge, "config">,
  { repository }: Pick<RepositoryAccess, "repository">,
): boolean =>
  config.enableTimetracking &&
  repository.tracker.hasTimeTracker &&
  enabledUnits(config, repository).has("issues");

/**
 * Whether somebody may track their time on an issue: when that is for contributors, its writers, author and assignees.
 */
export const mayTrack = (
  { repository, rights }: Pick<RepositoryAccess, "repository" | "rights">,
  { user }: Actor,
  issue: Issue,
): boolean =>
  !repository.tracker.isTimeForContributorsOnly ||
  mayEditIssue(rights, { user }, issue) ||
  issue.assigneeIds.includes(user.id);

/** BadRequest when time tracking is off; Forbidden for a caller who may not track time on this issue. */
export function requireTracking(forge: Forge, access: RepositoryAccess, actor: Actor, issue: Issue): void {
  requireTrackingOn(forge, access);
  if (mayTrack(access, actor, issue)) return;
  throw forbidden("only writers, the author and the assignees may track time on this issue");
}

/** BadRequest when time tracking is off. */
export function requireTrackingOn(forge: Forge, access: RepositoryAccess): void {
  if (!isTracked(forge, access)) throw badRequest("time tracking is off in this repository");
}

/** Like `requireTracking`, for the issue with this number. NotFound when there is none. */
export async function requireTrackable(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  actor: Actor,
): Promise<void> {
  requireTracking(forge, access, actor, await getIssue(forge, access, number));
}

/** Whether somebody may see the times that others spent on issues (or pulls). */
export const seesOthers = (
  { rights }: Pick<RepositoryAccess, "rights">,
  { user }: Actor,
  kind: Issue["kind"],
): boolean => user.isAdmin || isIssueWriter(rights, kind);
