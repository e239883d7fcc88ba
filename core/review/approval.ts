import type { BranchProtection } from "../branch-protection/branch-protection.table.ts";
import type { Forge } from "../forge.ts";
import type { PullRequest } from "../pull/pull.table.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { findOwnersTeams } from "../team/of-owner.ts";
import { allReviews } from "./change.ts";
import { dismissStale } from "./dismiss-stale.ts";
import type { Review } from "./review.table.ts";
import { staleJudge } from "./stale.ts";

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
  const counting = reviews.filter(({ isOfficial, isDismissed }) => isOfficial && !isDismissed);
  const approvals = counting.filter(({ state }) => state === "approved");
  const problems: string[] = [];
  const granted = await countApprovals(forge, pull, approvals, rule);
  if (granted < requiredApprovals) {
    problems.push(`the branch takes ${requiredApprovals} approvals, and there are ${granted}`);
  }
  if (blocksOnRejectedReviews && counting.some(({ state }) => state === "rejected")) {
    problems.push("a reviewer asks for changes");
  }
  if (blocksOnReviewRequests && (await isWaited(forge, pull, counting))) {
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

/** Whether a user is asked who counts, or a team that is still the owner's. */
async function isWaited(forge: Forge, pull: PullRequest, counting: readonly Review[]): Promise<boolean> {
  const asked = counting.filter(({ state }) => state === "requested");
  if (asked.some(({ teamId }) => teamId === undefined)) return true;
  const ids = asked.map(({ teamId }) => teamId as number);
  if (ids.length === 0) return false;
  const repository = await forge.table.get<Repository>(repositoryKey(pull.repositoryId));
  return repository !== undefined && (await findOwnersTeams(forge, repository.ownerId, ids)).size > 0;
}
