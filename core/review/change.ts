import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { notFound, unprocessable } from "../errors.ts";
import { type OutboxEntry, outbox } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { type ReviewAction, repositoryEvent } from "../hook/events.ts";
import { requireUnblocked } from "../issue/blocks.ts";
import { changeInSteps, type FollowUp, type IssueChange } from "../issue/change/change.ts";
import type { Issue } from "../issue/issue.table.ts";
import { requireIssueUnlocked } from "../issue/lock.ts";
import { isPullRequest, type PullRequest } from "../pull/pull.table.ts";
import { put, remove, type Write } from "../table/write.ts";
import { type Review, reviewsOf, reviewTextKey } from "./review.table.ts";
import { reviewerRowWrites, reviewingFrom } from "./reviewing.ts";

/** The most reviews, and requests for reviews, of one pull request: counting approvals reads them all. */
const mostReviews = 1_000;

/** The change of a request about its reviews: what the request counts of them follows from it, and who finds it. */
export interface ReviewsChange extends IssueChange {
  readonly issue: PullRequest;
  /** Reviews that are new, or others now. */
  readonly reviews?: readonly Review[];
  readonly removed?: readonly Review[];
}

/** Plans a change of a request's reviews from the request and the reviews as they are. */
export type ReviewPlan = (
  pull: PullRequest,
  reviews: readonly Review[],
) => Promise<ReviewsChange | undefined>;

type ReviewAccess = Pick<RepositoryAccess, "repository" | "rights">;

/** Like `changeInSteps`, for the reviews of a pull request. */
export const changeReviewsInSteps = (
  forge: Forge,
  access: ReviewAccess,
  number: number,
  nextStep: () => ReviewPlan,
): Promise<IssueChange> =>
  changeInSteps(forge, access, number, () => {
    const plan = nextStep();
    return async (issue) => {
      const reviews = await allReviews(forge, issue);
      const planned = await plan(asPull(issue), reviews);
      return planned && wholeChange(planned, reviews);
    };
  });

/** The same in one step. */
export const changeReviews = (forge: Forge, access: ReviewAccess, number: number, plan: ReviewPlan) =>
  changeReviewsInSteps(forge, access, number, () => plan);

/** All reviews of a request, oldest first, those that others don't see too. */
export const allReviews = (
  { table }: Forge,
  { repositoryId, number }: Pick<Issue, "repositoryId" | "number">,
): Promise<Review[]> => table.queryAll<Review>(reviewsOf(repositoryId, number));

function asPull(issue: Issue): PullRequest {
  if (!isPullRequest(issue)) throw notFound(`pull request does not exist [index: ${issue.number}]`);
  return issue;
}

function wholeChange(
  { reviews = [], removed = [], ...change }: ReviewsChange,
  before: readonly Review[],
): IssueChange {
  const changed = new Set([...reviews, ...removed].map(({ id }) => id));
  const after = [...before.filter(({ id }) => !changed.has(id)), ...reviews].sort(
    (one, other) => one.id - other.id,
  );
  const { issue } = change;
  return {
    ...change,
    issue: { ...issue, pull: { ...issue.pull, reviewing: reviewingFrom(after) } },
    writes: [
      ...(change.writes ?? []),
      ...reviews.map((one) => put(one)),
      ...removed.map(({ pk, sk }) => remove({ pk, sk })),
      ...removed.filter(({ hasText }) => hasText).map((one) => remove(reviewTextKey(one))),
      ...reviewerRowWrites(before, after),
    ],
  };
}

/** 422 when the request has as many reviews as it may have. */
export function requireRoom(reviews: readonly Review[], more = 1): void {
  if (reviews.length + more > mostReviews) {
    throw unprocessable(`a pull request takes at most ${mostReviews} reviews and requests for them`);
  }
}

/** Forbidden when the conversation is locked for the caller, or its owner or author blocks them. */
export async function requireReviewable(
  forge: Forge,
  access: ReviewAccess,
  pull: PullRequest,
  actor: Actor,
): Promise<void> {
  requireIssueUnlocked(access, pull);
  await requireUnblocked(forge, access, actor, pull.authorId);
}

/** An event of a review, for the transaction that causes it. */
export function reviewEvent(
  forge: Forge,
  { repositoryId, number, id, state, reviewerId, teamId }: Review,
  actor: Actor,
  action: ReviewAction,
): OutboxEntry {
  const origin = { repositoryId, actorId: actor.user.id, at: forge.clock.now() };
  const what = { kind: "review", action, index: number, reviewId: id } as const;
  const asked = state !== "requested" ? {} : teamId === undefined ? { reviewerId } : { teamId };
  return outbox(forge, "repository-events", repositoryEvent({ ...what, ...asked, ...origin }));
}

/**
 * The event of a change that no hook hears of (semantics §27.4): a review counts no more, or again. Feeds tell of
 * dismissals; of the others only a scheduled merge may have waited for them.
 */
export const countingEvents = (
  forge: Forge,
  { pull }: PullRequest,
  review: Review | undefined,
  actor: Actor,
  action: "dismissed" | "undismissed" | "removed",
): OutboxEntry[] =>
  review === undefined || (pull.scheduledBy === undefined && action !== "dismissed")
    ? []
    : [reviewEvent(forge, review, actor, action)];

/** Several follow-ups as one, and the writes that don't fit into it. */
export function combined(works: readonly FollowUp[]): {
  readonly followUp?: FollowUp;
  readonly writes: readonly Write[];
} {
  const [first, ...others] = works;
  if (first === undefined) return { writes: [] };
  const work = async () => {
    for (const one of works) await one.work();
  };
  return { followUp: { write: first.write, work }, writes: others.map(({ write }) => write) };
}
