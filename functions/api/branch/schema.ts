import { z } from "@hono/zod-openapi";
import { dateTime } from "../user/schema.ts";

const PayloadUser = z
  .object({ name: z.string(), email: z.string(), username: z.string() })
  .openapi("PayloadUser");

const PayloadCommitVerification = z
  .object({
    verified: z.boolean(),
    reason: z.string(),
    signature: z.string(),
    signer: PayloadUser.nullable(),
    payload: z.string(),
  })
  .openapi("PayloadCommitVerification");

export const PayloadCommit = z
  .object({
    id: z.string(),
    message: z.string(),
    url: z.string(),
    author: PayloadUser,
    committer: PayloadUser,
    verification: PayloadCommitVerification.nullable(),
    timestamp: dateTime,
    added: z.array(z.string()).nullable(),
    removed: z.array(z.string()).nullable(),
    modified: z.array(z.string()).nullable(),
  })
  .openapi("PayloadCommit");
export type PayloadCommitJson = z.infer<typeof PayloadCommit>;

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
