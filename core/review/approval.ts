import type { BranchProtection } from "../branch-protection/branch-protection.table.ts";
import type { Forge } from "../forge.ts";
import type { PullRequest } from "../pull/pull.table.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { allReviews } from "./change.ts";
import { stillOfficial } from "./official.ts";
import type { Review } from "./review.table.ts";
import { dismissStale } from "./stale/dismiss-stale.ts";
import { staleJudge } from "./stale/stale.ts";

/**
 * What the rule of the base branch still misses in the reviews of a request, in plain sentences (semantics §12.3);
 * empty when nothing. The request is as `followHead` answers it. Stale approvals are dismissed first, where the rule
 * asks for that and nobody got to it after the push.
 */
export async function reviewProblems(
  forge: Forge,
  pull: PullRequest,
  rule: BranchProtection,
): Promise<string[]> {
  const { requiredApprovals, blocksOnRejectedReviews, blocksOnReviewRequests } = rule;
  if (requiredApprovals === 0 && !blocksOnRejectedReviews && !blocksOnReviewRequests) return [];
  await dismissStale(forge, pull, { rule });
  const reviews = await allReviews(forge, pull);
  const repository = await forge.table.get<Repository>(repositoryKey(pull.repositoryId));
  if (repository === undefined) return ["the repository is gone"];
  const undismissed = reviews.filter(({ isDismissed }) => !isDismissed);
  const counting = [...(await stillOfficial(forge, repository, undismissed, rule))];
  const approvals = counting.filter(({ state }) => state === "approved");
  const problems: string[] = [];
  const granted = await countApprovals(forge, pull, approvals, rule);
  if (granted < requiredApprovals) {
    problems.push(`the branch takes ${requiredApprovals} approvals, and there are ${granted}`);
  }
  if (blocksOnRejectedReviews && counting.some(({ state }) => state === "rejected")) {
    problems.push("a reviewer asks for changes");
  }
  if (blocksOnReviewRequests && counting.some(({ state }) => state === "requested")) {
    problems.push("a requested review is not there yet");
  }
  return problems;
}

/** The approvals that count: not the stale ones where the rule ignores these (B-11). */
async function countApprovals(
  forge: Forge,
  pull: PullRequest,
  approvals: readonly Review[],
  { requiredApprovals, ignoresStaleApprovals }: BranchProtection,
): Promise<number> {
  if (!ignoresStaleApprovals || requiredApprovals === 0) return approvals.length;
  const isStale = staleJudge(forge, pull);
  const stale = await Promise.all(approvals.map(isStale));
  return stale.filter((one) => !one).length;
}
