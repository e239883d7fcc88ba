import { isRepositoryAdmin } from "../access/modes.ts";
import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import type { TimelineEntry } from "../comment/comment.table.ts";
import { forbidden } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { type EntryIds, entriesFrom, entryIds } from "../issue/change/timeline.ts";
import type { PullRequest } from "../pull/pull.table.ts";
import { bodyProblem } from "../text.ts";
import { changeReviews, changeReviewsInSteps, countingEvents, type ReviewsChange } from "./change.ts";
import { isVerdict, type Review } from "./review.table.ts";
import { getPullAndReview, type ReviewOfPull } from "./review.ts";

const reviewsAtOnce = 25;
/** So many dismissals of one review go with it when it is deleted. */
const mostDismissals = 20;

/**
 * Dismisses a review, so that it no longer counts; with `hasPriors` all reviews of its author (semantics §46.2).
 * Repository administrators may; Forbidden for others, for reviews without a verdict, and when the request is closed.
 */
export async function dismissReview(
  forge: Forge,
  access: RepositoryAccess,
  { number, id }: { readonly number: number; readonly id: number },
  { message, hasPriors }: { readonly message: string; readonly hasPriors: boolean },
  actor: Actor,
): Promise<ReviewOfPull> {
  const { pull, review } = await getPullAndReview(forge, access, number, id, actor);
  requireDismissible(access, pull, review);
  const problem = bodyProblem("Message", message);
  if (problem !== undefined) throw problem;
  const isMeant = (one: Review) =>
    one.id === id || (hasPriors && isVerdict(one) && one.reviewerId === review.reviewerId);
  await dismissAll(forge, access, number, { actor, message }, async (_pull, reviews) =>
    reviews.filter(isMeant),
  );
  return { pull, review: { ...review, isDismissed: true } };
}

/** Takes a dismissal back: the review counts again, even while it is stale. Refused as in `dismissReview`. */
export async function undismissReview(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  id: number,
  actor: Actor,
): Promise<ReviewOfPull> {
  const { pull, review } = await getPullAndReview(forge, access, number, id, actor);
  requireDismissible(access, pull, review);
  const changes = { isDismissed: false, keptFor: pull.pull.headId };
  await changeReviews(forge, access, number, async (now, reviews) => {
    const found = reviews.find((one) => one.id === id);
    if (found === undefined || !found.isDismissed) return undefined;
    const at = nowSeconds(forge.clock);
    const changed = { ...found, ...changes, updatedAt: at };
    const events = countingEvents(forge, now, changed, actor, "undismissed");
    return { issue: { ...now, updatedAt: at }, entries: [], events, reviews: [changed] };
  });
  return { pull, review: { ...review, ...changes } };
}

function requireDismissible({ rights }: RepositoryAccess, pull: PullRequest, review: Review): void {
  if (!isRepositoryAdmin(rights)) throw forbidden("only administrators of the repository dismiss reviews");
  if (!isVerdict(review)) throw forbidden("only approvals and rejections can be dismissed");
  if (pull.isClosed) throw forbidden("the pull request is closed");
}

/** Chooses the reviews to dismiss among all. */
type Choice = (pull: PullRequest, reviews: readonly Review[]) => Promise<readonly Review[]>;

/** Dismisses the reviews that are not dismissed yet, some at a time, each with an entry in the timeline. */
export async function dismissAll(
  forge: Forge,
  access: Pick<RepositoryAccess, "repository" | "rights">,
  number: number,
  { actor, message }: { readonly actor: Actor; readonly message: string },
  choose: Choice,
): Promise<void> {
  await changeReviewsInSteps(forge, access, number, () => {
    const drawIds = entryIds(forge);
    return async (pull, reviews) => {
      const meant = (await choose(pull, reviews)).filter(({ isDismissed }) => !isDismissed);
      const some = meant.slice(0, reviewsAtOnce);
      if (some.length === 0) return undefined;
      const change = await planDismissal(forge, pull, some, { actor, message, entryIds: drawIds });
      return { ...change, hasMore: meant.length > some.length };
    };
  });
}

async function planDismissal(
  forge: Forge,
  pull: PullRequest,
  reviews: readonly Review[],
  { actor, message, entryIds: drawIds }: { actor: Actor; message: string; entryIds: EntryIds },
): Promise<ReviewsChange> {
  const at = nowSeconds(forge.clock);
  const contents = reviews.map(
    ({ id }) => ({ type: "dismiss_review", body: message, reviewId: id }) as const,
  );
  const entries = await entriesFrom(pull, contents, { authorId: actor.user.id, at, entryIds: drawIds });
  const dismissed = reviews.map((one, place) => ({
    ...one,
    ...{ isDismissed: true, updatedAt: at },
    dismissalIds: [...(one.dismissalIds ?? []), (entries[place] as TimelineEntry).id].slice(-mostDismissals),
  }));
  const events = countingEvents(forge, pull, dismissed[0], actor, "dismissed");
  return { issue: { ...pull, updatedAt: at }, entries, events, reviews: dismissed };
}
