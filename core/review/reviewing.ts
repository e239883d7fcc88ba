import type { Forge } from "../forge.ts";
import type { IssueAddress } from "../issue/placed-issues.ts";
import type { PullRequest, Reviewing } from "../pull/pull.table.ts";
import { keyText, put, remove, type Write } from "../table/write.ts";
import { askedRow, type Review, reviewedRow, reviewsOf, teamAskedRow } from "./review.table.ts";

const nothing: Reviewing = { reviews: 0, comments: 0, userIds: [], teamIds: [] };

/** What a request counts of its reviews. */
export const reviewingOf = ({ pull }: PullRequest): Reviewing => pull.reviewing ?? nothing;

/** What a request with these reviews, oldest first, counts of them. */
export function reviewingFrom(reviews: readonly Review[]): Reviewing {
  const asked = reviews.filter(({ state }) => state === "requested");
  const comments = reviews.map(({ state, commentIds }) => (state === "pending" ? 0 : commentIds.length));
  return {
    reviews: reviews.length,
    comments: comments.reduce((sum, count) => sum + count, 0),
    userIds: asked.flatMap(({ teamId, reviewerId }) => (teamId === undefined ? reviewerId : [])),
    teamIds: asked.flatMap(({ teamId }) => teamId ?? []),
  };
}

/** The rows of a request at its reviewers: who is asked, and who said something that others see. */
export const reviewerRows = (reviews: readonly Review[]) => [
  ...new Map(reviews.flatMap(rowOf).map((row) => [keyText(row), row])).values(),
];

function rowOf(review: Review) {
  const { state, reviewerId, teamId } = review;
  if (state === "pending") return [];
  if (state !== "requested") return [reviewedRow(reviewerId, review)];
  return [teamId === undefined ? askedRow(reviewerId, review) : teamAskedRow(teamId, review)];
}

/** The writes that keep these rows when the reviews change. */
export function reviewerRowWrites(before: readonly Review[], after: readonly Review[]): Write[] {
  const [old, rows] = [reviewerRows(before), reviewerRows(after)];
  const isIn = (list: typeof rows, row: (typeof rows)[number]) =>
    list.some((other) => other.pk === row.pk && other.sk === row.sk);
  return [
    ...old.filter((row) => !isIn(rows, row)).map(({ pk, sk }) => remove({ pk, sk })),
    ...rows.filter((row) => !isIn(old, row)).map((row) => put(row)),
  ];
}

/** Removes the rows of a request that ends. */
export async function forgetReviewerRows(
  { table }: Forge,
  { repositoryId, number }: IssueAddress,
): Promise<void> {
  const reviews = await table.queryAll<Review>(reviewsOf(repositoryId, number));
  await table.removeAll(reviewerRows(reviews).map(({ pk, sk }) => ({ pk, sk })));
}
