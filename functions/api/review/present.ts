import type { RepositoryAccess } from "#core/access/repository-access";
import type { CodeComment } from "#core/review/code/code-comments";
import type { Review, ReviewState } from "#core/review/review.table";
import type { Team } from "#core/team/team.table";
import { ghostUser } from "#core/user/system-users";
import type { User } from "#core/user/user.table";
import type { View } from "../../http/answer/view.ts";
import { timestamp } from "../../http/timestamps.ts";
import { issuePageLink } from "../issue/present.ts";
import { presentTeam } from "../team/present.ts";
import { presentUser } from "../user/present.ts";
import type { PullReviewCommentJson, PullReviewJson, ReviewStateJson } from "./schema.ts";

const stateNames: Readonly<Record<ReviewState, ReviewStateJson>> = {
  pending: "PENDING",
  approved: "APPROVED",
  rejected: "REQUEST_CHANGES",
  comment: "COMMENT",
  requested: "REQUEST_REVIEW",
};

/** What a review is shown with. */
export interface Referred {
  readonly users: ReadonlyMap<number, User>;
  readonly teams: ReadonlyMap<number, Team>;
  /** What they say, by id. */
  readonly texts: ReadonlyMap<number, string>;
  readonly isStale: boolean;
  readonly isOfficial: boolean;
}

/** A review in the family's form (semantics §32), with its author or asked team. */
export function presentReview(
  view: View,
  access: RepositoryAccess,
  review: Review,
  { users, teams, texts, isStale, isOfficial }: Referred,
): PullReviewJson {
  const { id, teamId, reviewerId, entryId } = review;
  const team = teams.get(teamId ?? 0);
  const page = issuePageLink(view, access, "pull", review.number);
  return {
    id,
    user: teamId === undefined ? presentUser(view, users.get(reviewerId) ?? ghostUser) : null,
    team: team === undefined ? null : presentTeam(view, team),
    state: stateNames[review.state],
    body: texts.get(id) ?? "",
    commit_id: review.commitId,
    stale: isStale,
    official: isOfficial,
    dismissed: review.isDismissed,
    comments_count: review.commentIds.length,
    submitted_at: timestamp(review.createdAt),
    updated_at: timestamp(review.updatedAt),
    html_url: entryId === undefined ? page : `${page}#issuecomment-${entryId}`,
    pull_request_url: page,
  };
}

/** A comment on a line, with its author and who resolved it. */
export function presentCodeComment(
  view: View,
  access: RepositoryAccess,
  comment: CodeComment,
  users: ReadonlyMap<number, User>,
): PullReviewCommentJson {
  const { code } = comment;
  const page = issuePageLink(view, access, "pull", comment.issueNumber);
  const resolver = code.resolverId === undefined ? undefined : (users.get(code.resolverId) ?? ghostUser);
  return {
    id: comment.id,
    body: comment.body,
    user: presentUser(view, users.get(comment.authorId) ?? ghostUser),
    resolver: resolver === undefined ? null : presentUser(view, resolver),
    pull_request_review_id: comment.reviewId,
    created_at: timestamp(comment.createdAt),
    updated_at: timestamp(comment.updatedAt),
    path: code.path,
    commit_id: code.lineCommitId ?? code.commitId,
    original_commit_id: code.commitId,
    diff_hunk: code.hunk,
    position: code.side === "new" ? code.line : 0,
    original_position: code.side === "old" ? code.line : 0,
    html_url: `${page}#issuecomment-${comment.id}`,
    pull_request_url: page,
  };
}
