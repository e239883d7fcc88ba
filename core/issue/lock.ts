import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { forbidden, invalid } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { changeIssue } from "./change/change.ts";
import { requireWriter } from "./change/change-as-writer.ts";
import { entryChange } from "./change/plan-change.ts";
import { entryIds } from "./change/timeline.ts";
import type { Issue } from "./issue.table.ts";
import { isIssueWriter } from "./rights.ts";

/**
 * Locks the conversation of an issue: from then on only writers comment, react and edit (semantics §49.3). A locked one
 * stays so, with its reason. 422 for a reason that is not among `ISSUE_LOCK_REASONS`; empty is none.
 */
export async function lockIssue(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  reason: string,
  actor: Actor,
): Promise<void> {
  const drawIds = entryIds(forge);
  await changeIssue(forge, access, number, async (issue) => {
    requireWriter(access, issue);
    requireReason(forge, reason);
    if (issue.isLocked) return undefined;
    const changing = { actor, at: nowSeconds(forge.clock), entryIds: drawIds };
    return entryChange({ ...issue, isLocked: true }, { type: "lock", body: reason }, changing);
  });
}

/** Opens a locked conversation again; nothing happens to one that is open. */
export async function unlockIssue(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  actor: Actor,
): Promise<void> {
  const drawIds = entryIds(forge);
  await changeIssue(forge, access, number, async (issue) => {
    requireWriter(access, issue);
    if (!issue.isLocked) return undefined;
    const changing = { actor, at: nowSeconds(forge.clock), entryIds: drawIds };
    return entryChange({ ...issue, isLocked: false }, { type: "unlock" }, changing);
  });
}

/** Forbidden for callers who may not write issues (or pulls) while the conversation is locked. */
export function requireIssueUnlocked({ rights }: Pick<RepositoryAccess, "rights">, issue: Issue): void {
  if (issue.isLocked && !isIssueWriter(rights, issue.kind)) {
    throw forbidden("the conversation is locked: only writers may take part in it");
  }
}

function requireReason({ config }: Forge, reason: string): void {
  if (reason === "" || config.issueLockReasons.includes(reason)) return;
  throw invalid("LockReason", `expected nothing, or one of: ${config.issueLockReasons.join(", ")}`);
}
