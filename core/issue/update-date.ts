import { isRepositoryAdmin } from "../access/modes.ts";
import type { RepositoryAccess } from "../access/repository-access.ts";
import { nowSeconds } from "../clock.ts";
import { forbidden } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { Issue } from "./issue.table.ts";

/**
 * When a change of an issue counts as made, in whole seconds: now, or the given date. That one only administrators of
 * the repository may give, and it lies between the issue's creation and now; Forbidden else, before anything is
 * changed (B-01, B-02).
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
