import { statusStates } from "#core/commit-status/commit-status.table";
import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";
import { Repository } from "../repository/schema.ts";
import { User } from "../user/schema.ts";

const CommitStatusState = z.enum(statusStates).openapi("CommitStatusState");

export const CommitStatus = z
  .object({
    id: z.int(),
    status: CommitStatusState,
    target_url: z.string(),
    description: z.string(),
    url: z.string(),
    context: z.string(),
    creator: User,
    created_at: dateTime,
    updated_at: dateTime,
  })
  .openapi("CommitStatus");
export type CommitStatusJson = z.infer<typeof CommitStatus>;

export const CombinedStatus = z
  .object({
    state: z.union([CommitStatusState, z.literal("")]),
    sha: z.string(),
    total_count: z.int(),
    statuses: z.array(CommitStatus),
    repository: Repository,
    commit_url: z.string(),
    url: z.string(),
  })
  .openapi("CombinedStatus");

export const CreateStatusOption = z
  .object({
    state: CommitStatusState,
    target_url: z.string().optional(),
    description: z.string().optional(),
    context: z.string().optional(),
  })
  .openapi("CreateStatusOption");
