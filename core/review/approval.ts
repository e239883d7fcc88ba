import type { BranchProtection } from "../branch-protection/branch-protection.table.ts";
import type { Forge } from "../forge.ts";
import type { PullRequest } from "../pull/pull.table.ts";
import { type Review, reviewsOf } from "./review.table.ts";
import { type StaleJudge, staleJudge } from "./stale.ts";

/**
 * What the rule of the base branch still misses in the reviews of a request, in plain sentences (semantics §12.3);
 * empty when nothing. The request is as `followHead` answers it.
 */
export async function reviewProblems(
  forge: Forge,
  pull: PullRequest,
  rule: BranchProtection,
): Promise<string[]> {
  const { requiredApprovals, blocksOnRejectedReviews, blocksOnReviewRequests } = rule;
  if (requiredApprovals === 0 && !blocksOnRejectedReviews && !blocksOnReviewRequests) return [];
  const reviews = await forge.table.queryAll<Review>(reviewsOf(pull.repositoryId, pull.number));
  const counting = reviews.filter(({ isOfficial, isDismissed }) => isOfficial && !isDismissed);
  const approvals = counting.filter(({ state }) => state === "approved");
  const problems: string[] = [];
  const granted = await countApprovals(approvals, rule, staleJudge(forge, pull));
  if (granted < requiredApprovals) {
    problems.push(`it takes ${requiredApprovals} approvals, and there are ${granted}`);
  }
  if (blocksOnRejectedReviews && counting.some(({ state }) => state === "rejected")) {
    problems.push("a reviewer asks for changes");
  }
  if (blocksOnReviewRequests && counting.some(({ state }) => state === "requested")) {
    problems.push("somebody who is asked for a review has not given it");
  }
  return problems;
}

/** The approvals that count: none of an older change when the rule dismisses or ignores those (B-11). */
async function countApprovals(
  approvals: readonly Review[],
  { requiredApprovals, ignoresStaleApprovals, dismissesStaleApprovals }: BranchProtection,
  isStale: StaleJudge,
): Promise<number> {
  if (!(ignoresStaleApprovals || dismissesStaleApprovals) || requiredApprovals === 0) return approvals.length;
  const stale = await Promise.all(approvals.map(isStale));
  return stale.filter((one) => !one).length;
}
