import { findTeamsOf } from "../access/own-teams.ts";
import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import type { TimelineEntry } from "../comment/comment.table.ts";
import { defined } from "../defined.ts";
import { invalid, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { type EntryIds, entriesFrom, entryIds } from "../issue/change/timeline.ts";
import { followHead } from "../pull/follow/follow-head.ts";
import type { PullRequest } from "../pull/pull.table.ts";
import { getPull } from "../pull/pull.ts";
import { bodyProblem } from "../text.ts";
import { changeReviews, type ReviewsChange, requireReviewable, reviewEvent } from "./change.ts";
import { followTexts } from "./follow-texts.ts";
import { isOfficialReviewer, ruleOfBase } from "./official.ts";
import { readComments } from "./read-comments.ts";
import type { Review } from "./review.table.ts";
import { getReview, type ReviewOfPull } from "./review.ts";
import { changeDigest } from "./stale/change-digest.ts";
import { withText } from "./texts.ts";

/** What a review may say when it is submitted. */
export type Verdict = "approved" | "rejected" | "comment";

/** What is known of a submission before it is written. */
export interface Submission {
  readonly actor: Actor;
  readonly verdict: Verdict;
  readonly body: string;
  /** The reviewer is one whose verdict counts. */
  readonly isOfficial: boolean;
  /** The teams of the owner that the reviewer is in. */
  readonly teamIds: readonly number[];
  readonly change: string | undefined;
  readonly entryIds: EntryIds;
}

/** 422 for a verdict on the caller's own request, and for one that lacks its text (semantics §46.2). */
export function requireVerdict(
  { authorId }: PullRequest,
  { verdict, body, actor }: { verdict: Verdict | "pending"; body: string; actor: Actor },
): void {
  const isVerdict = verdict === "approved" || verdict === "rejected";
  if (isVerdict && authorId === actor.user.id) {
    throw unprocessable("nobody approves or rejects their own pull request");
  }
  if (verdict === "rejected" && body.trim() === "") throw invalid("Body", "Required to ask for changes");
  const problem = bodyProblem("Body", body);
  if (problem !== undefined) throw problem;
}

/** Reads what a submission needs beside the reviews: who counts, and what was reviewed. */
export async function prepareSubmission(
  forge: Forge,
  { repository }: RepositoryAccess,
  pull: PullRequest,
  commitId: string,
  given: Pick<Submission, "actor" | "verdict" | "body">,
): Promise<Submission> {
  const hasVerdict = given.verdict !== "comment";
  const official = async () =>
    hasVerdict && isOfficialReviewer(forge, repository, given.actor.user, await ruleOfBase(forge, pull));
  const [isOfficial, teamIds, change] = await Promise.all([
    official(),
    hasVerdict ? findTeamsOf(forge, repository.ownerId, given.actor) : [],
    changeDigest(forge, pull, commitId),
  ]);
  return { ...given, isOfficial, teamIds, change, entryIds: entryIds(forge) };
}

/**
 * Submits a pending review of the caller (semantics §46.2). NotFound for one of somebody else; 422 when it is not
 * pending, and as in `requireVerdict`. It stays a review of the commit that it began with.
 */
export async function submitReview(
  forge: Forge,
  access: RepositoryAccess,
  { number, id }: { readonly number: number; readonly id: number },
  given: { readonly verdict: Verdict | "pending"; readonly body: string },
  actor: Actor,
): Promise<ReviewOfPull> {
  const pull = await followHead(forge, await getPull(forge, access, number));
  const review = await getReview(forge, pull, id, actor);
  if (review.state !== "pending") throw unprocessable("the review is not pending");
  const { verdict, body } = given;
  if (verdict === "pending") throw unprocessable("the event would leave the review pending");
  requireVerdict(pull, { ...given, actor });
  const submission = await prepareSubmission(forge, access, pull, review.commitId, { actor, verdict, body });
  let submitted: Review | undefined;
  await changeReviews(forge, access, number, async (now, reviews) => {
    await requireReviewable(forge, access, now, actor);
    const own = reviews.find((one) => one.id === id && one.reviewerId === actor.user.id);
    if (own?.state !== "pending") throw unprocessable("the review is not pending");
    const planned = await planSubmission(forge, now, reviews, own, submission);
    submitted = planned.review;
    return planned.change;
  });
  return { pull, review: submitted as Review };
}

/**
 * The change that submits a review. A verdict of a user counts once: their earlier ones no longer count, and requests
 * to them and their teams are answered. `fresh`: comments that the same change adds.
 */
export async function planSubmission(
  forge: Forge,
  pull: PullRequest,
  reviews: readonly Review[],
  pending: Review,
  { actor, verdict, body, isOfficial, teamIds, change, entryIds: drawIds }: Submission,
  fresh: readonly TimelineEntry[] = [],
): Promise<{ readonly review: Review; readonly change: ReviewsChange }> {
  const at = nowSeconds(forge.clock);
  if (verdict === "comment" && body.trim() === "" && pending.commentIds.length === 0) {
    throw unprocessable("a review without a verdict takes a text or comments");
  }
  const told = { authorId: actor.user.id, at, entryIds: drawIds };
  const content = { type: "review", body, reviewId: pending.id } as const;
  const [entry] = (await entriesFrom(pull, [content], told)) as [TimelineEntry];
  const { review, writes: textWrites } = withText(
    {
      ...pending,
      ...{ state: verdict, isOfficial, entryId: entry.id, createdAt: at, updatedAt: at },
      ...defined({ change }),
    },
    body,
  );
  const answered = reviews.filter((one) => isAnswered(one, actor, teamIds));
  const texts = textsOf(forge, entry, pending, fresh);
  const { followUp, writes } = await followTexts(forge, texts, "published", { actor, at, isDated: false });
  return {
    review,
    change: {
      issue: { ...pull, updatedAt: at },
      entries: [entry],
      events: [reviewEvent(forge, review, actor, verdict)],
      reviews: [review, ...(verdict === "comment" ? [] : lossesOf(reviews, actor.user.id, pending.id))],
      removed: answered,
      writes: [...textWrites, ...writes],
      ...defined({ followUp }),
    },
  };
}

/** A request that a submission answers: to the reviewer, or to one of their teams when they say yes or no. */
const isAnswered = ({ state, reviewerId, teamId = 0 }: Review, actor: Actor, teamIds: readonly number[]) =>
  state === "requested" && (teamId === 0 ? reviewerId === actor.user.id : teamIds.includes(teamId));

/** A reviewer's earlier reviews no longer count. */
export const lossesOf = (reviews: readonly Review[], reviewerId: number, newId: number): Review[] =>
  reviews
    .filter((one) => one.reviewerId === reviewerId && one.isOfficial && one.id !== newId)
    .filter(({ state }) => state !== "requested")
    .map((one) => ({ ...one, isOfficial: false }));

/** The texts of a review that is submitted: its own, and those of its comments. */
async function* textsOf(
  forge: Forge,
  entry: TimelineEntry,
  review: Review,
  fresh: readonly TimelineEntry[],
): AsyncGenerator<TimelineEntry> {
  yield entry;
  const earlier = review.commentIds.filter((id) => !fresh.some((one) => one.id === id));
  for await (const some of readComments(forge, review, earlier)) yield* some;
  yield* fresh;
}
