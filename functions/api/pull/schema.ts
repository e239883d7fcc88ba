import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";
import { StateType } from "../issue/state-type.ts";
import { Label } from "../label/schema.ts";
import { Milestone } from "../milestone/schema.ts";
import { Repository } from "../repository/schema.ts";
import { Team } from "../team/schema.ts";
import { User } from "../user/schema.ts";

const PRBranchInfo = z
  .object({
    label: z.string(),
    ref: z.string(),
    sha: z.string(),
    repo_id: z.int(),
    repo: Repository.nullable(),
  })
  .openapi("PRBranchInfo");

export const PullRequest = z
  .object({
    id: z.int(),
    url: z.string(),
    number: z.int(),
    user: User,
    title: z.string(),
    body: z.string(),
    labels: z.array(Label),
    milestone: Milestone.nullable(),
    assignee: User.nullable(),
    assignees: z.array(User),
    requested_reviewers: z.array(User),
    requested_reviewers_teams: z.array(Team),
    state: StateType,
    draft: z.boolean(),
    is_locked: z.boolean(),
    comments: z.int(),
    review_comments: z.int(),
    additions: z.int(),
    deletions: z.int(),
    changed_files: z.int(),
    html_url: z.string(),
    diff_url: z.string(),
    patch_url: z.string(),
    mergeable: z.boolean(),
    merged: z.boolean(),
    merged_at: dateTime.nullable(),
    merge_commit_sha: z.string().nullable(),
    merged_by: User.nullable(),
    allow_maintainer_edit: z.boolean(),
    base: PRBranchInfo,
    head: PRBranchInfo,
    merge_base: z.string(),
    due_date: dateTime.nullable(),
    created_at: dateTime,
    updated_at: dateTime,
    closed_at: dateTime.nullable(),
    pin_order: z.int(),
    flow: z.int(),
  })
  .openapi("PullRequest");
export type PullRequestJson = z.infer<typeof PullRequest>;
export type PRBranchInfoJson = z.infer<typeof PRBranchInfo>;

const time = z.iso.datetime({ offset: true });

export const CreatePullRequestOption = z
  .object({
    title: z.string().min(1),
    head: z.string().min(1).openapi({ description: "branch, owner:branch or owner/name:branch" }),
    base: z.string().min(1).openapi({ description: "a branch of the repository" }),
    body: z.string().optional(),
    labels: z.array(z.int()).optional().openapi({ description: "ids; unknown ones are ignored" }),
    milestone: z.int().optional().openapi({ description: "an id" }),
    assignee: z.string().optional().openapi({ description: "one more of the assignees" }),
    assignees: z.array(z.string()).optional(),
    due_date: time.optional(),
    allow_maintainer_edit: z
      .boolean()
      .optional()
      .openapi({ description: "absent: as the repository's setting says" }),
  })
  .openapi("CreatePullRequestOption");

export const EditPullRequestOption = z
  .object({
    title: z.string().optional().openapi({ description: "an empty one is ignored" }),
    body: z.string().optional(),
    base: z.string().optional().openapi({ description: "another branch of the repository" }),
    state: z.string().optional().openapi({ description: "closed; anything else opens the request" }),
    labels: z.array(z.int()).optional().openapi({ description: "ids of all labels after the change" }),
    milestone: z.int().optional().openapi({ description: "an id; 0 changes nothing" }),
    assignee: z
      .string()
      .optional()
      .openapi({ description: "one more of the assignees; an empty one changes nothing" }),
    assignees: z.array(z.string()).optional().openapi({ description: "all assignees after the change" }),
    due_date: time.optional().openapi({ description: "counts as the end of that day" }),
    unset_due_date: z.boolean().optional(),
    allow_maintainer_edit: z.boolean().optional(),
  })
  .openapi("EditPullRequestOption");
export type EditPullRequestOptionJson = z.infer<typeof EditPullRequestOption>;

export const ChangedFile = z
  .object({
    filename: z.string(),
    previous_filename: z.string().optional(),
    status: z.enum(["added", "deleted", "renamed", "copied", "changed", "unchanged"]),
    additions: z.int(),
    deletions: z.int(),
    changes: z.int(),
    html_url: z.string(),
    contents_url: z.string(),
    raw_url: z.string(),
  })
  .openapi("ChangedFile");
export type ChangedFileJson = z.infer<typeof ChangedFile>;
