import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";
import { Issue } from "../issue/schema.ts";
import { Label } from "../label/schema.ts";
import { Milestone } from "../milestone/schema.ts";
import { Team } from "../team/schema.ts";
import { TrackedTime } from "../tracked-time/schema.ts";
import { User } from "../user/schema.ts";
import { Comment } from "./schema.ts";

export const TimelineComment = z
  .object({
    id: z.int(),
    type: z.string(),
    html_url: z.string(),
    pull_request_url: z.string(),
    issue_url: z.string(),
    user: User,
    body: z.string().openapi({ description: "of a label: 1 when it was added, empty when it was removed" }),
    created_at: dateTime,
    updated_at: dateTime,
    old_project_id: z.int(),
    project_id: z.int(),
    old_milestone: Milestone.nullable(),
    milestone: Milestone.nullable(),
    tracked_time: TrackedTime.nullable().openapi({ description: "as it was then: it may be removed since" }),
    old_title: z.string(),
    new_title: z.string(),
    old_ref: z.string(),
    new_ref: z.string(),
    ref_issue: Issue.nullable(),
    ref_comment: Comment.nullable(),
    ref_action: z.string(),
    ref_commit_sha: z.string(),
    review_id: z.int(),
    label: Label.nullable(),
    assignee: User.nullable(),
    assignee_team: Team.nullable(),
    removed_assignee: z.boolean(),
    resolve_doer: User.nullable(),
    dependent_issue: Issue.nullable().openapi({ description: "null when the caller may not read it" }),
  })
  .openapi("TimelineComment");
export type TimelineCommentJson = z.infer<typeof TimelineComment>;
