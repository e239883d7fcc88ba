import type { RepositoryAccess } from "../../access/repository-access.ts";
import type { Actor } from "../../actor.ts";
import { nowSeconds } from "../../clock.ts";
import { missingRights } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import type { Issue } from "../issue.table.ts";
import { isIssueWriter } from "../rights.ts";
import { changeIssue, getIssue } from "./change.ts";
import { planIssueChange } from "./plan-change.ts";
import { entryIds } from "./timeline.ts";

/**
 * Makes a change that only writers of issues (or pulls) may make: `next` answers the changed issue, and is called again
 * when another change came first. NotFound as for the issue; Forbidden for others.
 */
export async function changeAsWriter(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  actor: Actor,
  next: (issue: Issue) => Promise<Issue> | Issue,
): Promise<Issue> {
  const drawIds = entryIds(forge);
  const { issue: changed } = await changeIssue(forge, access, number, async (issue) => {
    requireWriter(access, issue);
    const at = nowSeconds(forge.clock);
    return planIssueChange(forge, issue, await next(issue), { actor, at, entryIds: drawIds });
  });
  return changed;
}

/** Throws unless the caller may write the issue or pull of a number. NotFound when there is none. */
export async function requireIssueWritable(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
): Promise<void> {
  requireWriter(access, await getIssue(forge, access, number));
}

/** Throws unless the caller may write issues (or pulls) of others. */
export function requireWriter(
  { rights }: Pick<RepositoryAccess, "rights">,
  { kind }: Pick<Issue, "kind">,
): void {
  if (!isIssueWriter(rights, kind)) throw missingRights("only writers may change this of an issue");
}
