import { z } from "#zod";
import { dateTime, givenDateTime } from "../../http/timestamps.ts";
import { Attachment } from "../attachment/schema.ts";
import { Label } from "../label/schema.ts";
import { Milestone } from "../milestone/schema.ts";
import { User } from "../user/schema.ts";
import { StateType } from "./state-type.ts";
import { updateDate } from "./update-date.ts";

export const PullRequestMeta = z
  .object({
    merged: z.boolean(),
    merged_at: dateTime.nullable(),
    draft: z.boolean(),
    html_url: z.string(),
  })
  .openapi("PullRequestMeta");

const RepositoryMeta = z
  .object({ id: z.int(), name: z.string(), owner: z.string(), full_name: z.string() })
  .openapi("RepositoryMeta");

export const Issue = z
  .object({
    id: z.int(),
    url: z.string(),
    html_url: z.string(),
    number: z.int(),
    user: User,
    original_author: z.string(),
    original_author_id: z.int(),
    title: z.string(),
    body: z.string(),
    ref: z.string(),
    assets: z.array(Attachment),
    labels: z.array(Label),
    milestone: Milestone.nullable(),
    assignee: User.nullable(),
    assignees: z.array(User),
    state: StateType,
    is_locked: z.boolean(),
    comments: z.int(),
    created_at: dateTime,
    updated_at: dateTime,
    closed_at: dateTime.nullable(),
    due_date: dateTime.nullable(),
    pull_request: PullRequestMeta.nullable(),
    repository: RepositoryMeta,
    pin_order: z.int(),
  })
  .openapi("Issue");
export type IssueJson = z.infer<typeof Issue>;

const labelReferences = z.array(z.union([z.int(), z.string()]));

export const IssueLabelsOption = z
  .object({
    labels: labelReferences.optional().openapi({
      description: "ids, or names: not both; unknown ones are ignored; an issue carries at most 100",
    }),
    updated_at: updateDate,
  })
  .openapi("IssueLabelsOption");

export const DeleteLabelsOption = z.object({ updated_at: updateDate }).openapi("DeleteLabelsOption");

export const CreateIssueOption = z
  .object({
    title: z.string().min(1),
    body: z.string().optional(),
    ref: z.string().optional(),
    closed: z.boolean().optional(),
    due_date: givenDateTime.optional(),
    labels: z
      .array(z.int())
      .optional()
      .openapi({ description: "ids, at most 100; unknown ones are ignored" }),
    milestone: z.int().optional().openapi({ description: "an id; an unknown one is ignored" }),
    assignee: z.string().optional().openapi({ description: "one more of the assignees" }),
    assignees: z.array(z.string()).optional(),
  })
  .openapi("CreateIssueOption");

export const EditIssueOption = z
  .object({
    title: z.string().optional().openapi({ description: "an empty one is ignored" }),
    body: z.string().optional(),
    ref: z.string().optional(),
    state: z.string().optional().openapi({ description: "closed; anything else opens the issue" }),
    due_date: givenDateTime.optional().openapi({ description: "counts as the end of that day" }),
    unset_due_date: z.boolean().optional(),
    milestone: z.int().optional().openapi({ description: "0 for none" }),
    assignee: z.string().optional().openapi({ description: "one more of the assignees" }),
    assignees: z.array(z.string()).optional().openapi({ description: "all assignees after the change" }),
    updated_at: updateDate,
  })
  .openapi("EditIssueOption");
export type EditIssueOptionJson = z.infer<typeof EditIssueOption>;

export const IssueAssigneesOption = z
  .object({ assignees: z.array(z.string()).optional().openapi({ description: "names of users" }) })
  .openapi("IssueAssigneesOption");

export const EditDeadlineOption = z
  .object({
    due_date: givenDateTime
      .nullish()
      .openapi({ description: "counts as the end of that day; null, or nothing, for none" }),
  })
  .openapi("EditDeadlineOption");

export const IssueDeadline = z.object({ due_date: dateTime.nullable() }).openapi("IssueDeadline");

export const LockIssueOption = z
  .object({
    lock_reason: z.string().optional().openapi({ description: "one of those that the instance knows" }),
  })
  .openapi("LockIssueOption");

export const NewIssuePinsAllowed = z
  .object({ issues: z.boolean(), pull_requests: z.boolean() })
  .openapi("NewIssuePinsAllowed");
