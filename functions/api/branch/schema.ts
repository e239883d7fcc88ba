import { z } from "#zod";
import { PayloadCommit } from "../commit/schema.ts";

export const Branch = z
  .object({
    name: z.string(),
    commit: PayloadCommit,
    protected: z.boolean(),
    required_approvals: z.int(),
    enable_status_check: z.boolean(),
    status_check_contexts: z.array(z.string()),
    user_can_push: z.boolean(),
    user_can_merge: z.boolean(),
    effective_branch_protection_name: z.string(),
  })
  .openapi("Branch");
export type BranchJson = z.infer<typeof Branch>;

export const CreateBranchRepoOption = z
  .object({
    new_branch_name: z.string().min(1),
    old_ref_name: z.string().optional().openapi({ description: "a branch, tag or commit to begin at" }),
    old_branch_name: z.string().optional().openapi({ description: "a branch to begin at, by the old name" }),
  })
  .openapi("CreateBranchRepoOption");
export const RenameBranchRepoOption = z.object({ name: z.string().min(1) }).openapi("RenameBranchRepoOption");
export const UpdateBranchRepoOption = z
  .object({
    new_commit_id: z.string().min(1),
    old_commit_id: z.string().optional().openapi({ description: "where the branch must be now" }),
    force: z.boolean().optional(),
  })
  .openapi("UpdateBranchRepoOption");
