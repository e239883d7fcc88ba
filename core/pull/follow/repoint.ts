import type { Actor } from "../../actor.ts";
import { nowSeconds } from "../../clock.ts";
import { isForgeError } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { changeIssue } from "../../issue/change/change.ts";
import { planIssueChange } from "../../issue/change/plan-change.ts";
import { entryIds } from "../../issue/change/timeline.ts";
import type { IssueAddress } from "../../issue/placed-issues.ts";
import { findIssueForJob } from "../../issue/removal/purge.ts";
import { isPullRequest, type OpenPullRow, type PullPart, pairKey } from "../pull.table.ts";

/** Says whether a request, as it is now, is still one to be changed. */
export type IsDue = (pull: PullPart) => boolean;

/**
 * Gives an open request another base or head, for a job; everything else of it stays. False, and nothing changes, when
 * it is closed, gone or no longer due, or when another request between the new branches is open.
 */
export async function repointPull(
  forge: Forge,
  { repositoryId, number }: IssueAddress,
  part: Partial<Pick<PullPart, "base" | "head" | "mergeBase">>,
  actor: Actor,
  isDue: IsDue,
): Promise<boolean> {
  const access = await findIssueForJob(forge, repositoryId);
  if (access === undefined) return false;
  const changing = { actor, at: nowSeconds(forge.clock), entryIds: entryIds(forge) };
  let isDone = false;
  try {
    await changeIssue(forge, access, number, async (issue) => {
      isDone = false;
      if (!isPullRequest(issue) || issue.isClosed || !isDue(issue.pull)) return undefined;
      const pull = { ...issue.pull, ...part };
      const other = await forge.table.get<OpenPullRow>(pairKey(repositoryId, pull));
      if (other !== undefined) return undefined;
      isDone = true;
      return planIssueChange(forge, issue, { ...issue, pull }, changing);
    });
    return isDone;
  } catch (error) {
    if (isForgeError(error, "not-found")) return false;
    throw error;
  }
}
