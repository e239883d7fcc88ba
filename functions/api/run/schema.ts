import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";
import { Repository } from "../repository/schema.ts";
import { User } from "../user/schema.ts";

const stateWord = z
  .string()
  .openapi({ description: "waiting, running, blocked, success, failure, cancelled or skipped" });
const conclusion = z.string().openapi({ description: "the state once it is over, else empty" });

export const ActionWorkflowRun = z
  .object({
    id: z.int(),
    name: z.string().openapi({ description: "the title" }),
    display_title: z.string(),
    run_number: z.int().openapi({ description: "counts the repository's runs" }),
    run_attempt: z.int(),
    event: z.string(),
    status: stateWord,
    conclusion,
    head_branch: z.string(),
    head_sha: z.string(),
    workflow_id: z.string(),
    path: z.string(),
    url: z.string(),
    html_url: z.string(),
    previous_attempt_url: z.string().nullable(),
    triggering_actor: User,
    trigger_actor: User,
    actor: User,
    repository_id: z.int(),
    repository: Repository,
    head_repository: Repository,
    pull_requests: z.array(z.object({})),
    problem: z.string().optional().openapi({ description: "why the workflow could not be run" }),
    needs_approval: z.boolean().openapi({ description: "somebody has to allow it before it starts" }),
    created_at: dateTime,
    updated_at: dateTime,
    started_at: dateTime.nullable(),
    completed_at: dateTime.nullable(),
  })
  .openapi("ActionWorkflowRun");
export type ActionWorkflowRunJson = z.infer<typeof ActionWorkflowRun>;

const ActionWorkflowStep = z
  .object({
    number: z.int(),
    name: z.string(),
    status: stateWord,
    conclusion,
    started_at: dateTime.nullable(),
    completed_at: dateTime.nullable(),
  })
  .openapi("ActionWorkflowStep");

export const ActionWorkflowJob = z
  .object({
    id: z.int(),
    url: z.string(),
    html_url: z.string(),
    run_id: z.int(),
    run_url: z.string(),
    run_attempt: z.int(),
    name: z.string(),
    labels: z.array(z.string()),
    head_sha: z.string(),
    head_branch: z.string(),
    status: stateWord,
    conclusion,
    runner_id: z.int(),
    runner_name: z.string(),
    steps: z.array(ActionWorkflowStep),
    created_at: dateTime,
    started_at: dateTime.nullable(),
    completed_at: dateTime.nullable(),
  })
  .openapi("ActionWorkflowJob");
export type ActionWorkflowJobJson = z.infer<typeof ActionWorkflowJob>;

const ActionTask = z
  .object({
    id: z.int(),
    name: z.string(),
    head_branch: z.string(),
    head_sha: z.string(),
    run_number: z.int(),
    event: z.string(),
    display_title: z.string(),
    status: stateWord,
    workflow_id: z.string(),
    url: z.string(),
    created_at: dateTime,
    updated_at: dateTime,
    run_started_at: dateTime.nullable(),
  })
  .openapi("ActionTask");
export type ActionTaskJson = z.infer<typeof ActionTask>;

export const ActionTaskResponse = z
  .object({ workflow_runs: z.array(ActionTask), total_count: z.int() })
  .openapi("ActionTaskResponse");

export const ActionWorkflow = z
  .object({
    id: z.string().openapi({ description: "the name of the file" }),
    name: z.string(),
    path: z.string(),
    state: z.enum(["active", "disabled_manually"]),
    problem: z.string().optional().openapi({ description: "why the file is no workflow" }),
    created_at: dateTime,
    updated_at: dateTime,
    url: z.string(),
    html_url: z.string(),
    badge_url: z.string(),
  })
  .openapi("ActionWorkflow");
export type ActionWorkflowJson = z.infer<typeof ActionWorkflow>;

export const DispatchWorkflowOption = z
  .object({
    ref: z.string().default(""),
    inputs: z.record(z.string(), z.string()).nullish(),
    return_run_info: z.boolean().nullish(),
  })
  .openapi("DispatchWorkflowOption");

export const DispatchWorkflowRun = z
  .object({
    id: z.int(),
    run_number: z.int(),
    jobs: z.array(z.string()).openapi({ description: "their ids in the file" }),
    workflow_run_id: z.int().openapi({ description: "the id, in the other family's word" }),
    run_url: z.string(),
    html_url: z.string(),
  })
  .openapi("DispatchWorkflowRun");
export type DispatchWorkflowRunJson = z.infer<typeof DispatchWorkflowRun>;
