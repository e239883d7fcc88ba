import type { Actor } from "../../actor.ts";
import type { BranchProtection } from "../../branch-protection/branch-protection.table.ts";
import { isForgeError } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { findIssueForJob } from "../../issue/removal/purge.ts";
import type { PullRequest } from "../../pull/pull.table.ts";
import { ghostUser } from "../../user/system-users.ts";
import { allReviews } from "../change.ts";
import { dismissAll } from "../dismiss.ts";
import { ruleOfBase } from "../official.ts";
import type { Review } from "../review.table.ts";
import { reviewingOf } from "../reviewing.ts";
import { staleJudge } from "./stale.ts";

/**
 * Dismisses the approvals of a request that are about another change than its head brings, where the rule of its base
 * asks for that (semantics §12.3), on behalf of the pusher. May be repeated, and may run late.
 */
export async function dismissStale(
  forge: Forge,
  pull: PullRequest,
  { actor = { user: ghostUser }, rule }: { actor?: Actor; rule?: BranchProtection } = {},
): Promise<void> {
  if (reviewingOf(pull).reviews === 0 || pull.isClosed) return;
  const known = rule ?? (await ruleOfBase(forge, pull));
  if (known?.dismissesStaleApprovals !== true) return;
  if ((await staleApprovals(forge, pull, await allReviews(forge, pull))).length === 0) return;
  const access = await findIssueForJob(forge, pull.repositoryId);
  if (access === undefined) return;
  const choose = (now: PullRequest, reviews: readonly Review[]) => staleApprovals(forge, now, reviews);
  try {
    await dismissAll(forge, access, pull.number, { actor, message: "" }, choose);
  } catch (error) {
    if (!isForgeError(error, "not-found")) throw error;
  }
}

async function staleApprovals(
  forge: Forge,
  pull: PullRequest,
  reviews: readonly Review[],
): Promise<Review[]> {
  const isStale = staleJudge(forge, pull);
  const found: Review[] = [];
  for (const one of reviews) {
    if (one.state !== "approved" || one.isDismissed || one.keptFor === pull.pull.headId) continue;
    if (await isStale(one)) found.push(one);
  }
  return found;
}
