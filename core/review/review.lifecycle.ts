import { entryPrefix, type TimelineEntry } from "../comment/comment.table.ts";
import type { Forge } from "../forge.ts";
import type { PartCursor, PartStep } from "../jobs/passes.ts";
import type { EndedUser, Lifecycle } from "../lifecycle/lifecycle.ts";
import { userPartition } from "../owner/owner.table.ts";
import { isCodeComment } from "./code/code-comments.ts";
import { purgeCodeComment, purgeReview } from "./remove.ts";
import { reviewChecks } from "./review.check.ts";
import { type Review, reviewPrefix } from "./review.table.ts";
import { forgetReviewerRows } from "./reviewing.ts";

/**
 * Nobody waits for the review of a deleted user, and their pending ones go; a purge removes all that they wrote (B-14).
 * The index that finds them lags: a later pass finds those that this one misses.
 */
async function endReviews(
  forge: Forge,
  { userId, purges }: EndedUser,
  inner: PartCursor | undefined,
): Promise<PartStep> {
  const after = inner === undefined ? undefined : JSON.parse(String(inner));
  const { keys, next } = await forge.table.queryActor(userPartition(userId), after);
  const wanted = keys.filter(
    ({ sk }) => sk.startsWith(reviewPrefix) || (purges && sk.startsWith(entryPrefix)),
  );
  const found = [...(await forge.table.getAll(wanted)).values()];
  const reviews = found
    .filter(({ sk }) => sk.startsWith(reviewPrefix))
    .map((item) => item as Review)
    .filter(({ state }) => purges || state === "pending" || state === "requested");
  const comments = found.map((item) => item as TimelineEntry).filter(isCodeComment);
  for (const review of reviews) await purgeReview(forge, review);
  for (const comment of comments) await purgeCodeComment(forge, comment);
  const hasFound = reviews.length + comments.length > 0;
  return { hasFound, hasMore: next !== undefined, inner: next && JSON.stringify(next) };
}

/** Reviews of pull requests, and requests for them. */
export const reviewLifecycle: Lifecycle = {
  noun: "review",
  items: [
    { at: "I#<repository>.<number> / REVIEW#<review>", counter: "review" },
    { at: "I#<repository>.<number> / RTEXT#<review>" },
    { at: "I#<repository>.<number> / CHANGE#<commit>" },
    { at: "U#<user>#I / q#<repository>#<number>" },
    { at: "U#<user>#I / v#<repository>#<number>" },
    { at: "TEAM#<team> / ASKED#<repository>#<number>" },
  ],
  ends: {
    user: {
      reviews: { stage: "comments", step: endReviews },
    },
    issue: { elsewhere: forgetReviewerRows },
  },
  checks: reviewChecks,
};
