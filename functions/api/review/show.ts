import type { RepositoryAccess } from "#core/access/repository-access";
import type { Forge } from "#core/forge";
import type { PullRequest } from "#core/pull/pull.table";
import { type CodeComment, readCodeComments } from "#core/review/code/code-comments";
import { findStillOfficial } from "#core/review/official";
import type { Review } from "#core/review/review.table";
import { staleJudge } from "#core/review/stale/stale";
import { readReviewTexts } from "#core/review/texts";
import { findOwnersTeams } from "#core/team/of-owner";
import { findUsersNear } from "#core/user/find-near";
import type { View } from "../../http/answer/view.ts";
import { presentCodeComment, presentReview } from "./present.ts";
import type { PullReviewCommentJson, PullReviewJson } from "./schema.ts";

/** Reads what reviews of one request refer to, and presents them with it. */
export async function showReviews(
  forge: Forge,
  view: View,
  access: RepositoryAccess,
  pull: PullRequest,
  reviews: readonly Review[],
): Promise<PullReviewJson[]> {
  const isStale = staleJudge(forge, pull);
  const userIds = reviews.map(({ reviewerId }) => reviewerId).filter((id) => id !== 0);
  const [users, teams, texts] = await Promise.all([
    findUsersNear(forge, view.actor, [access], userIds),
    findOwnersTeams(
      forge,
      access.owner.id,
      reviews.flatMap(({ teamId }) => teamId ?? []),
    ),
    readReviewTexts(forge, reviews),
  ]);
  const official = await findStillOfficial(forge, access, pull, reviews);
  const stale = await Promise.all(reviews.map(async (one) => one.state !== "requested" && isStale(one)));
  return reviews.map((review, place) =>
    presentReview(view, access, review, {
      users,
      teams,
      texts,
      isStale: stale[place] === true,
      isOfficial: official.has(review),
    }),
  );
}

/** The same for one. */
export async function showReview(
  forge: Forge,
  view: View,
  access: RepositoryAccess,
  pull: PullRequest,
  review: Review,
): Promise<PullReviewJson> {
  const [shown] = await showReviews(forge, view, access, pull, [review]);
  return shown as PullReviewJson;
}

/** Reads comments of a review with their users, and presents them, as far as the answer has room. */
export async function* showCodeComments(
  forge: Forge,
  view: View,
  access: RepositoryAccess,
  { review, ids }: { readonly review: Review; readonly ids: readonly number[] },
): AsyncGenerator<PullReviewCommentJson> {
  for await (const some of readCodeComments(forge, review, ids)) {
    yield* await showTogether(forge, view, access, some);
  }
}

/** One comment on a line. */
export async function showCodeComment(
  forge: Forge,
  view: View,
  access: RepositoryAccess,
  comment: CodeComment,
): Promise<PullReviewCommentJson> {
  const [shown] = await showTogether(forge, view, access, [comment]);
  return shown as PullReviewCommentJson;
}

async function showTogether(
  forge: Forge,
  view: View,
  access: RepositoryAccess,
  comments: readonly CodeComment[],
): Promise<PullReviewCommentJson[]> {
  const userIds = comments.flatMap(({ authorId, code }) => [authorId, code.resolverId ?? []].flat());
  const users = await findUsersNear(forge, view.actor, [access], userIds);
  return comments.map((comment) => presentCodeComment(view, access, comment, users));
}
