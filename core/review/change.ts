import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { notFound, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { type ReviewAction, repositoryEvent } from "../hook/events.ts";
import { requireUnblocked } from "../issue/blocks.ts";
import { changeInSteps, type FollowUp, type IssueChange } from "../issue/change.ts";
import type { Issue } from "../issue/issue.table.ts";
import { requireIssueUnlocked } from "../issue/lock.ts";
import { type OutboxEntry, outbox } from "../outbox.ts";
import { isPullRequest, type PullRequest, type Reviewing } from "../pull/pull.table.ts";
import type { Write } from "../table/write.ts";
import { type Review, reviewsOf } from "./review.table.ts";

/** One request takes so many reviews and requests for one: whoever counts approvals reads them all. */
const mostReviews = 1_000;

/** Plans a change of a request's reviews from the request and the reviews as they are. */
export type ReviewPlan = (pull: PullRequest, reviews: readonly Review[]) => Promise<IssueChange | undefined>;

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
    return async (issue) => plan(asPull(issue), await allReviews(forge, issue));
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

const nothing: Reviewing = { reviews: 0, comments: 0, userIds: [], teamIds: [] };

/** What a request counts of its reviews. */
export const reviewingOf = ({ pull }: PullRequest): Reviewing => pull.reviewing ?? nothing;

/** The request with other counts, changed at this time. */
export const withReviewing = (
  pull: PullRequest,
  changes: Partial<Reviewing>,
  updatedAt: number,
): PullRequest => ({
  ...pull,
  updatedAt,
  pull: { ...pull.pull, reviewing: { ...reviewingOf(pull), ...changes } },
});

/** 422 when the request takes no more reviews. */
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

/** Several works as one, and the writes that don't fit into it. */
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
