import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";
import { Team } from "../team/schema.ts";
import { User } from "../user/schema.ts";

const ReviewStateType = z
  .enum(["APPROVED", "PENDING", "COMMENT", "REQUEST_CHANGES", "REQUEST_REVIEW"])
  .openapi("ReviewStateType");
export type ReviewStateJson = z.infer<typeof ReviewStateType>;

export const PullReview = z
  .object({
    id: z.int(),
    user: User.nullable().openapi({ description: "of a request the asked user, null for a team" }),
    team: Team.nullable(),
    state: ReviewStateType,
    body: z.string(),
    commit_id: z.string(),
    stale: z.boolean().openapi({ description: "the request brings another change by now" }),
    official: z.boolean().openapi({ description: "the rule of the base branch counts the reviewer" }),
    dismissed: z.boolean(),
    comments_count: z.int(),
    submitted_at: dateTime,
    updated_at: dateTime,
    html_url: z.string(),
    pull_request_url: z.string(),
  })
  .openapi("PullReview");
export type PullReviewJson = z.infer<typeof PullReview>;

export const PullReviewComment = z
  .object({
    id: z.int(),
    body: z.string(),
    user: User,
    resolver: User.nullable(),
    pull_request_review_id: z.int(),
    created_at: dateTime,
    updated_at: dateTime,
    path: z.string(),
    commit_id: z.string(),
    original_commit_id: z.string(),
    diff_hunk: z.string(),
    position: z.int().openapi({ description: "the line in the new file; 0 for one of the old file" }),
    original_position: z
      .int()
      .openapi({ description: "the line in the old file; 0 for one of the new file" }),
    html_url: z.string(),
    pull_request_url: z.string(),
  })
  .openapi("PullReviewComment");
export type PullReviewCommentJson = z.infer<typeof PullReviewComment>;

const line = z
  .int()
  .nonnegative()
  .max(2 ** 31 - 1)
  .optional();

export const CreatePullReviewComment = z
  .object({
    path: z.string().min(1),
    body: z.string(),
    old_position: line.openapi({ description: "a line of the old file; wins when both are given" }),
    new_position: line.openapi({ description: "a line of the new file" }),
  })
  .openapi("CreatePullReviewComment");
export type CreatePullReviewCommentJson = z.infer<typeof CreatePullReviewComment>;

const event = z
  .string()
  .optional()
  .openapi({ description: "APPROVED, REQUEST_CHANGES or COMMENT; anything else leaves the review pending" });

export const CreatePullReviewOptions = z
  .object({
    event,
    body: z.string().optional(),
    commit_id: z.string().optional().openapi({ description: "empty: the head" }),
    comments: z.array(CreatePullReviewComment).optional(),
  })
  .openapi("CreatePullReviewOptions");

export const SubmitPullReviewOptions = z
  .object({ event, body: z.string().optional() })
  .openapi("SubmitPullReviewOptions");

export const DismissPullReviewOptions = z
  .object({
    message: z.string().optional(),
    priors: z.boolean().optional().openapi({ description: "dismisses all reviews of its author" }),
  })
  .openapi("DismissPullReviewOptions");

export const CreatePullReviewCommentReplyOptions = z
  .object({ body: z.string() })
  .openapi("CreatePullReviewCommentReplyOptions");

export const PullReviewRequestOptions = z
  .object({
    reviewers: z.array(z.string()).optional().openapi({ description: "names or e-mail addresses" }),
    team_reviewers: z.array(z.string()).optional().openapi({ description: "names of the owner's teams" }),
  })
  .openapi("PullReviewRequestOptions");
