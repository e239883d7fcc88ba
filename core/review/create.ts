import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { type CodePlace, newEntry, type TimelineEntry } from "../comment/comment.table.ts";
import { invalid, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { nextId } from "../ids.ts";
import { type EntryIds, entryIds } from "../issue/change/timeline.ts";
import { lazy } from "../lazy.ts";
import { followHead } from "../pull/follow/follow-head.ts";
import type { PullRequest } from "../pull/pull.table.ts";
import { getPull } from "../pull/pull.ts";
import { bodyProblem } from "../text.ts";
import { changeReviewsInSteps, type ReviewsChange, requireReviewable, requireRoom } from "./change.ts";
import { type NamedLine, openReviewed, placeLines } from "./code/code-place.ts";
import { newReview, type Review } from "./review.table.ts";
import type { ReviewOfPull } from "./review.ts";
import {
  planSubmission,
  prepareSubmission,
  requireVerdict,
  type Submission,
  type Verdict,
} from "./submit.ts";
import { withText } from "./texts.ts";

/** Comments of one review, and those that one transaction adds. */
const most = { comments: 300, atOnce: 20 };

/** A comment on a line, as a caller writes it. */
export interface NewCodeComment extends NamedLine {
  readonly body: string;
}

/** The parts of a new review. */
export interface NewReviewParts {
  readonly verdict: Verdict | "pending";
  readonly body: string;
  /** The head when absent or empty. */
  readonly commitId?: string;
  readonly comments: readonly NewCodeComment[];
}

/** A comment that is ready to be written. */
export interface PlacedComment {
  readonly body: string;
  readonly code: CodePlace;
}

/**
 * Reviews a request (semantics §46.2): the comments join the caller's pending review, which is made when there is none,
 * and is submitted unless the verdict is `pending`. Many comments take several transactions, and nobody else sees them
 * before the last. 422 as in `requireVerdict`, for a commit that is not the request's, for a line that does not exist
 * and for too many comments; Forbidden as in `requireReviewable`.
 */
export async function createReview(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  given: NewReviewParts,
  { actor, signal }: { readonly actor: Actor; readonly signal?: AbortSignal },
): Promise<ReviewOfPull> {
  const { verdict, body, comments } = given;
  const pull = await followHead(forge, await getPull(forge, access, number));
  await requireReviewable(forge, access, pull, actor);
  requireVerdict(pull, { verdict, body, actor });
  requireComments(comments);
  if (verdict === "pending" && body.trim() === "" && comments.length === 0) {
    throw unprocessable("a review takes a text or comments");
  }
  const reviewed = await openReviewed(forge, pull, given.commitId, signal);
  const { commitId } = reviewed;
  const codes = await placeLines(reviewed, comments);
  const placed = comments.map(({ body: text }, at) => ({ body: text, code: codes[at] as CodePlace }));
  const submission =
    verdict === "pending"
      ? undefined
      : await prepareSubmission(forge, access, pull, commitId, { actor, verdict, body });
  const review = await writeReview(forge, access, number, { placed, commitId, body, actor, submission });
  return { pull, review };
}

function requireComments(comments: readonly NewCodeComment[]): void {
  if (comments.length > most.comments) throw invalid("Comments", `at most ${most.comments} at once`);
  for (const { body } of comments) requireCommentText(body);
}

/** 422 for an empty text, and one over its bound. */
export function requireCommentText(body: string): void {
  if (body.trim() === "") throw invalid("Body", "Required");
  const problem = bodyProblem("Body", body);
  if (problem !== undefined) throw problem;
}

interface Writing {
  readonly placed: readonly PlacedComment[];
  readonly commitId: string;
  readonly body: string;
  readonly actor: Actor;
  readonly submission: Submission | undefined;
}

/** Writes the comments some at a time, and with the last of them submits the review. */
async function writeReview(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  { placed, commitId, body, actor, submission }: Writing,
): Promise<Review> {
  const chunks: (readonly PlacedComment[])[] = [];
  for (let at = 0; at === 0 || at < placed.length; at += most.atOnce) {
    chunks.push(placed.slice(at, at + most.atOnce));
  }
  const drawId = lazy(() => nextId(forge.table, "review"));
  let written: Review | undefined;
  await changeReviewsInSteps(forge, access, number, () => {
    const chunk = chunks.shift() ?? [];
    const isLast = chunks.length === 0;
    const drawIds = entryIds(forge);
    return async (pull, reviews) => {
      await requireReviewable(forge, access, pull, actor);
      const at = nowSeconds(forge.clock);
      const start = { drawId, reviewerId: actor.user.id, commitId, at };
      const pending = await pendingReview(pull, reviews, start);
      const entries = await commentEntries(pull, pending, chunk, { actor, at, entryIds: drawIds });
      const commented = withComments({ ...pending, commitId, updatedAt: at }, entries);
      const hasText = submission === undefined && body.trim() !== "";
      const { review, writes } = hasText ? withText(commented, body) : { review: commented, writes: [] };
      const change: ReviewsChange = {
        issue: pull, // its date stays: nobody else hears of a pending review
        ...{ entries, events: [], hasMore: !isLast, reviews: [review], writes },
      };
      written = review;
      if (!isLast || submission === undefined) return change;
      const submitted = await planSubmission(forge, pull, reviews, review, submission, entries);
      written = submitted.review;
      return { ...submitted.change, entries: [...entries, ...submitted.change.entries] };
    };
  });
  return written as Review;
}

/** The reviewer's pending review, or a new one. 422 when the request has too many already. */
async function pendingReview(
  pull: PullRequest,
  reviews: readonly Review[],
  start: {
    readonly drawId: () => Promise<number>;
    readonly reviewerId: number;
    readonly commitId: string;
    readonly at: number;
  },
): Promise<Review> {
  const { reviewerId, commitId, at: createdAt } = start;
  const known = reviews.find((one) => one.state === "pending" && one.reviewerId === reviewerId);
  if (known !== undefined) return known;
  requireRoom(reviews);
  return newReview(pull, { id: await start.drawId(), reviewerId, state: "pending", commitId, createdAt });
}

/** A review with more comments. 422 when they are too many. */
export function withComments(review: Review, entries: readonly TimelineEntry[]): Review {
  const commentIds = [...review.commentIds, ...entries.map(({ id }) => id)];
  if (commentIds.length > most.comments) {
    throw unprocessable(`a review takes at most ${most.comments} comments`);
  }
  return { ...review, commentIds };
}

/** The entries of the timeline that are a review's comments. */
export async function commentEntries(
  pull: PullRequest,
  { id: reviewId }: Review,
  comments: readonly PlacedComment[],
  {
    actor,
    at,
    entryIds: drawIds,
  }: { readonly actor: Actor; readonly at: number; readonly entryIds: EntryIds },
): Promise<TimelineEntry[]> {
  const ids = await drawIds(comments.length);
  return comments.map(({ body, code }, place) =>
    newEntry(pull, {
      ...{ id: ids[place] as number, type: "code", authorId: actor.user.id, createdAt: at },
      ...{ body, reviewId, code },
    }),
  );
}
