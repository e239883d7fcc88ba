import { z } from "@hono/zod-openapi";
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
