import type { Actor } from "../../actor.ts";
import { nowSeconds } from "../../clock.ts";
import { isForgeError } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { changeIssue } from "../../issue/change/change.ts";
import { planIssueChange } from "../../issue/change/plan-change.ts";
import { entryIds } from "../../issue/change/timeline.ts";
import type { IssueAddress } from "../../issue/placed-issues.ts";
import { findIssueForJob } from "../../issue/removal/purge.ts";
import { isPullRequest } from "../pull.table.ts";
import type { IsDue } from "./repoint.ts";

/**
 * Closes a pull request whose head or base is gone, as `actor`; nothing happens when it is closed or gone itself, or no
 * longer due.
 */
export async function closePull(
  forge: Forge,
  { repositoryId, number }: IssueAddress,
  actor: Actor,
  isDue: IsDue = () => true,
): Promise<void> {
  const access = await findIssueForJob(forge, repositoryId);
  if (access === undefined) return;
  const changing = { actor, at: nowSeconds(forge.clock), entryIds: entryIds(forge) };
  try {
    await changeIssue(forge, access, number, async (pull) =>
      isPullRequest(pull) && isDue(pull.pull)
        ? planIssueChange(forge, pull, { ...pull, isClosed: true }, changing)
        : undefined,
    );
  } catch (error) {
    if (!isForgeError(error, "not-found")) throw error;
  }
}
