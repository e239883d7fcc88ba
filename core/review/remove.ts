import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { entryKey, entryRowKey, type TimelineEntry } from "../comment/comment.table.ts";
import { defined } from "../defined.ts";
import { forbidden, isForgeError, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { UserIssueRow } from "../issue/issue.table.ts";
import { findIssueForJob } from "../issue/removal/purge.ts";
import type { PullRequest } from "../pull/pull.table.ts";
import { getPull } from "../pull/pull.ts";
import { remove } from "../table/write.ts";
import { ghostUser } from "../user/system-users.ts";
import {
  allReviews,
  changeReviews,
  changeReviewsInSteps,
  countingEvents,
  type ReviewsChange,
} from "./change.ts";
import { type CodeComment, planCommentRemoval } from "./code/code-comments.ts";
import { followTexts } from "./follow-texts.ts";
import { askedPullsOfTeam, type Review } from "./review.table.ts";
import { getReview } from "./review.ts";

const commentsAtOnce = 25;
const requestsAtOnce = 10;

/**
 * Removes a review with its comments and its entries of the timeline: its author and site administrators may, Forbidden
 * for others; 422 for a request for one; NotFound as in `getReview`.
 */
export async function removeReview(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  id: number,
  actor: Actor,
): Promise<void> {
  const review = await getReview(forge, await getPull(forge, access, number), id, actor);
  if (review.reviewerId !== actor.user.id && !actor.user.isAdmin) {
    throw forbidden("only its author and site administrators may remove a review");
  }
  if (review.state === "requested")
    throw unprocessable("it is a request for a review: take that back instead");
  await removeInSteps(forge, access, review, actor);
}

/** Removes a review or a request for one, for the end of a user; nothing happens when it is gone. */
export async function purgeReview(forge: Forge, review: Review): Promise<void> {
  const access = await findIssueForJob(forge, review.repositoryId);
  if (access === undefined) return;
  try {
    await removeInSteps(forge, access, review);
  } catch (error) {
    if (!isForgeError(error, "not-found")) throw error;
  }
}

/** Takes back some of the requests to a team that is gone; true when none is left. */
export async function withdrawFromTeam(forge: Forge, teamId: number): Promise<boolean> {
  const { items } = await forge.table.query<UserIssueRow>({
    ...askedPullsOfTeam(teamId),
    limit: requestsAtOnce,
  });
  for (const { repositoryId, number } of items) {
    const reviews = await allReviews(forge, { repositoryId, number });
    for (const one of reviews.filter((review) => review.teamId === teamId)) await purgeReview(forge, one);
  }
  await forge.table.removeAll(items);
  return items.length === 0;
}

/** Removes comments of a user on lines of one request, for the user's purge (B-14). */
export async function purgeCodeComment(forge: Forge, comment: CodeComment): Promise<void> {
  const access = await findIssueForJob(forge, comment.repositoryId);
  if (access === undefined) return;
  const { repositoryId, issueNumber, id } = comment;
  try {
    await changeReviews(forge, access, issueNumber, async (pull, reviews) => {
      const found = await forge.table.get<CodeComment>(entryKey(repositoryId, issueNumber, id));
      return found === undefined ? undefined : planCommentRemoval(forge, pull, reviews, [found]);
    });
  } catch (error) {
    if (!isForgeError(error, "not-found")) throw error;
  }
}

/** The comments go first, so that a review that a crash left half removed can be removed again. */
async function removeInSteps(
  forge: Forge,
  access: Pick<RepositoryAccess, "repository" | "rights">,
  { number, id }: Review,
  actor?: Actor,
): Promise<void> {
  await changeReviewsInSteps(forge, access, number, () => async (pull, reviews) => {
    const review = reviews.find((one) => one.id === id);
    if (review === undefined) return undefined;
    const ids = review.commentIds.slice(0, commentsAtOnce);
    if (ids.length === 0) return planReviewRemoval(forge, pull, review, actor);
    const keys = ids.map((one) => entryKey(pull.repositoryId, number, one));
    const found = await forge.table.getAll<CodeComment>(keys);
    const isThere = (one: number) => [...found.values()].some((entry) => entry.id === one);
    const present = {
      ...review,
      commentIds: review.commentIds.filter((one) => !ids.includes(one) || isThere(one)),
    };
    const others = reviews.map((one) => (one.id === id ? present : one));
    return found.size === 0
      ? planReviewRemoval(forge, pull, review, actor)
      : { ...(await planCommentRemoval(forge, pull, others, [...found.values()], actor)), hasMore: true };
  });
}

async function planReviewRemoval(
  forge: Forge,
  pull: PullRequest,
  review: Review,
  actor: Actor | undefined,
): Promise<ReviewsChange> {
  const { repositoryId, number, entryId, dismissalIds = [] } = review;
  const told = entryId === undefined ? dismissalIds : [entryId, ...dismissalIds];
  const at = review.state === "pending" ? pull.updatedAt : nowSeconds(forge.clock);
  const entry =
    entryId === undefined
      ? undefined
      : await forge.table.get<TimelineEntry>(entryKey(repositoryId, number, entryId));
  const follow = await followTexts(forge, entry === undefined ? [] : [entry], "removed", {
    ...(actor && { actor }),
    ...{ at, isDated: false },
  });
  const { followUp } = follow;
  return {
    ...{ issue: { ...pull, updatedAt: at }, entries: [], removed: [review] },
    events: countingEvents(forge, pull, review, actor ?? { user: ghostUser }, "removed"),
    writes: [
      ...told.flatMap((id) => [
        remove(entryKey(repositoryId, number, id)),
        remove(entryRowKey(repositoryId, id)),
      ]),
      ...follow.writes,
    ],
    ...defined({ followUp }),
  };
}
