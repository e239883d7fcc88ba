import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";
import { Attachment } from "../attachment/schema.ts";
import { updateDate } from "../issue/update-date.ts";
import { User } from "../user/schema.ts";

export const Comment = z
  .object({
    id: z.int(),
    html_url: z.string(),
    pull_request_url: z.string().openapi({ description: "empty for comments on issues" }),
    issue_url: z.string().openapi({ description: "empty for comments on pull requests" }),
    user: User,
    original_author: z.string(),
    original_author_id: z.int(),
    body: z.string(),
    assets: z.array(Attachment),
    created_at: dateTime,
    updated_at: dateTime,
  })
  .openapi("Comment");
export type CommentJson = z.infer<typeof Comment>;

/** Other fields of CreateIssueOption are accepted and ignored (D-COMMENT-BODY). */
export const CreateIssueCommentOption = z
  .object({ body: z.string().min(1), updated_at: updateDate })
  .openapi("CreateIssueCommentOption");

export const EditIssueCommentOption = z
  .object({ body: z.string().min(1), updated_at: updateDate })
  .openapi("EditIssueCommentOption");
