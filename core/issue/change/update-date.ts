import { isRepositoryAdmin } from "../../access/modes.ts";
import type { RepositoryAccess } from "../../access/repository-access.ts";
import { nowSeconds } from "../../clock.ts";
import { forbidden } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import type { Target } from "../internal/targets.ts";
import type { Issue } from "../issue.table.ts";
import type { WrittenText } from "../references/written-text.ts";

/**
 * The date of an issue's change, in whole seconds: now, or the given date. Only administrators of the repository may
 * give one, and it lies between the issue's creation and now; Forbidden otherwise, before anything changes (B-01,
 * B-02).
 */
export function dateOfChange(
  forge: Forge,
  { rights }: RepositoryAccess,
  { createdAt }: Pick<Issue, "createdAt">,
  given: number | undefined,
): number {
  const now = nowSeconds(forge.clock);
  if (given === undefined) return now;
  if (!isRepositoryAdmin(rights)) {
    throw forbidden("user needs to have admin or owner right");
  }
  if (given < createdAt || given > now) {
    throw forbidden("updated_at: it must lie between the creation of the issue and now");
  }
  return given;
}

/**
 * The date of an issue when a text of another one refers to it, in whole seconds. A given date counts in the same
 * repository, and where the author of the text might give one themselves; elsewhere the issue is touched now, because a
 * right in one repository gives nobody a say over dates in others (B-02). Without a given date it never goes back.
 */
export function dateOfReferred(
  forge: Forge,
  from: Pick<Issue, "repositoryId">,
  { issue: to, rights }: Target,
  { at, isDated }: Pick<WrittenText, "at" | "isDated">,
): number {
  const isHome = to.repositoryId === from.repositoryId;
  const isGiven = isDated && (isHome || (rights !== undefined && isRepositoryAdmin(rights)));
  if (isGiven) return at;
  return Math.max(to.updatedAt, isDated ? nowSeconds(forge.clock) : at);
}
