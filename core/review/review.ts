import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { type PageRequest, rowsOfPage } from "../page.ts";
import { followHead } from "../pull/follow/follow-head.ts";
import type { PullRequest } from "../pull/pull.table.ts";
import { getPull } from "../pull/pull.ts";
import { queryPages } from "../table/query-pages.ts";
import { type Review, reviewKey, reviewsOf } from "./review.table.ts";
import { reviewingOf } from "./reviewing.ts";

/** Pending reviews are for their authors and site administrators alone. */
export const maySeeReview = (actor: Actor | undefined, { state, reviewerId }: Review): boolean =>
  state !== "pending" || actor?.user.id === reviewerId || actor?.user.isAdmin === true;

/** One review of a request. NotFound when there is none, or it is not for the caller. */
export async function getReview(
  { table }: Forge,
  { repositoryId, number }: Pick<PullRequest, "repositoryId" | "number">,
  id: number,
  actor: Actor | undefined,
): Promise<Review> {
  const review = await table.get<Review>(reviewKey(repositoryId, number, id));
  if (review === undefined || !maySeeReview(actor, review)) {
    throw notFound(`review does not exist [id: ${id}]`);
  }
  return review;
}

/** The request as its head branch is now, and one of its reviews. NotFound as in `getPull` and `getReview`. */
export async function getPullAndReview(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  id: number,
  actor: Actor | undefined,
): Promise<ReviewOfPull> {
  const pull = await followHead(forge, await getPull(forge, access, number));
  return { pull, review: await getReview(forge, pull, id, actor) };
}

/** A review of a request. */
export interface ReviewOfPull {
  readonly pull: PullRequest;
  readonly review: Review;
}

/** One page of a request's reviews, oldest first; the total counts those that the caller does not see (semantics §46.2). */
export async function listReviews(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  actor: Actor | undefined,
  page: PageRequest,
): Promise<{ readonly pull: PullRequest; readonly items: readonly Review[]; readonly total: number }> {
  const pull = await followHead(forge, await getPull(forge, access, number));
  const found: Review[] = [];
  const end = page.page * page.limit;
  for await (const some of queryPages<Review>(forge.table, {
    ...reviewsOf(pull.repositoryId, number),
    limit: end,
  })) {
    found.push(...some);
  }
  const items = rowsOfPage(found, page).filter((one) => maySeeReview(actor, one));
  return { pull, items, total: reviewingOf(pull).reviews };
}
