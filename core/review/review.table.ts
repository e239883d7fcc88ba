import type { ObjectId } from "../git/format/object-format.ts";
import { padded } from "../ids.ts";
import { authorKeys, issuePartition, type UserIssueRow } from "../issue/issue.table.ts";
import { userPartition } from "../owner/owner.table.ts";
import type { Item, TableKey } from "../table/write.ts";
import { teamPartition } from "../team/team.table.ts";

/** The verdict of a review; `pending`: only its author sees it yet; `requested`: somebody is asked for one. */
export type ReviewState = "pending" | "approved" | "rejected" | "comment" | "requested";

/**
 * A review of a pull request, or the request for one. Times are whole seconds. Each write is in a transaction that moves
 * the edit version of the pull request, so reviews of one request never change side by side. A change reads all of them,
 * so their texts lie apart.
 */
export interface Review extends Item {
  /** Unique in the instance and increasing, so reviews lie in the order of their creation. */
  readonly id: number;
  readonly repositoryId: number;
  readonly number: number;
  /** Of a request the asked user; 0 when a team is asked. */
  readonly reviewerId: number;
  readonly teamId?: number;
  readonly state: ReviewState;
  /** It has a `ReviewText`. */
  readonly hasText: boolean;
  /** The head that was reviewed. */
  readonly commitId: ObjectId;
  /** Names the change that was reviewed, wherever its lines are (`changeDigest`); absent when nobody could tell. */
  readonly change?: string;
  /** The rule of the base branch counts it (semantics §12.3). */
  readonly isOfficial: boolean;
  readonly isDismissed: boolean;
  /** A dismissal was taken back while this was the head: it is not dismissed again because of it. */
  readonly keptFor?: ObjectId;
  /** Its comments on lines, in the order of their writing. */
  readonly commentIds: readonly number[];
  /** The entry of the timeline that tells of it. */
  readonly entryId?: number;
  /** The entries that tell of its dismissals, the newest ones; absent: it never was dismissed. */
  readonly dismissalIds?: readonly number[];
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly _v: 1;
}

export const reviewPrefix = "REVIEW#";
/** All reviews of a pull request, oldest first. */
export const reviewsOf = (repositoryId: number, number: number) => ({
  pk: issuePartition(repositoryId, number),
  prefix: reviewPrefix,
});
export const reviewKey = (repositoryId: number, number: number, id: number): TableKey => ({
  pk: issuePartition(repositoryId, number),
  sk: `${reviewPrefix}${padded(id)}`,
});

/** What a review says, if anything. */
export interface ReviewText extends Item {
  readonly body: string;
  readonly _v: 1;
}
export const reviewTextKey = ({ repositoryId, number, id }: ReviewAddress): TableKey => ({
  pk: issuePartition(repositoryId, number),
  sk: `RTEXT#${padded(id)}`,
});
type ReviewAddress = Pick<Review, "repositoryId" | "number" | "id">;

type PullAddress = Pick<Review, "repositoryId" | "number">;

function requestRow(pk: string, mark: string, { repositoryId, number }: PullAddress): UserIssueRow {
  return { pk, sk: `${mark}${padded(repositoryId)}#${padded(number)}`, repositoryId, number, _v: 1 };
}

/** The requests that a user is asked to review, and those that they reviewed; those that a team is asked for. */
export const askedPullsOf = (userId: number) => ({ pk: `${userPartition(userId)}#I`, prefix: "q#" });
export const reviewedPullsOf = (userId: number) => ({ pk: `${userPartition(userId)}#I`, prefix: "v#" });
export const askedPullsOfTeam = (teamId: number) => ({ pk: teamPartition(teamId), prefix: "ASKED#" });

/** The row of a request among these. */
export const askedRow = (userId: number, pull: PullAddress): UserIssueRow =>
  requestRow(`${userPartition(userId)}#I`, "q#", pull);
export const reviewedRow = (userId: number, pull: PullAddress): UserIssueRow =>
  requestRow(`${userPartition(userId)}#I`, "v#", pull);
export const teamAskedRow = (teamId: number, pull: PullAddress): UserIssueRow =>
  requestRow(teamPartition(teamId), "ASKED#", pull);

/** The particulars of a new review; the rest is empty. */
export type NewReview = Pick<Review, "id" | "reviewerId" | "state" | "commitId" | "createdAt"> &
  Partial<Pick<Review, "teamId" | "isOfficial" | "entryId">>;

/** A new review of a pull request. */
export function newReview(
  { repositoryId, number }: { readonly repositoryId: number; readonly number: number },
  given: NewReview,
): Review {
  const key = reviewKey(repositoryId, number, given.id);
  return {
    ...key,
    ...authorKeys(given.reviewerId, "review", key),
    ...{ repositoryId, number, hasText: false, isOfficial: false, isDismissed: false, commentIds: [] },
    ...given,
    updatedAt: given.createdAt,
    _v: 1,
  };
}

/** Whether the review says yes or no: only such ones count, and are dismissed. */
export const isVerdict = ({ state }: Review): boolean => state === "approved" || state === "rejected";

/** The digest of the change that a head brings, beginning at a merge base. */
export interface ChangeDigest extends Item {
  readonly mergeBase: ObjectId;
  readonly digest: string;
  readonly _v: 1;
}
export const changeDigestKey = (repositoryId: number, number: number, headId: ObjectId): TableKey => ({
  pk: issuePartition(repositoryId, number),
  sk: `CHANGE#${headId}`,
});
