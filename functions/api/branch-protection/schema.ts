import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";

const names = z.array(z.string());
const shape = {
  enable_push: z.boolean(),
  enable_push_whitelist: z.boolean(),
  push_whitelist_usernames: names,
  push_whitelist_teams: names,
  push_whitelist_deploy_keys: z.boolean(),
  enable_merge_whitelist: z.boolean(),
  merge_whitelist_usernames: names,
  merge_whitelist_teams: names,
  enable_status_check: z.boolean(),
  status_check_contexts: names,
  required_approvals: z.int(),
  enable_approvals_whitelist: z.boolean(),
  approvals_whitelist_username: names,
  approvals_whitelist_teams: names,
  block_on_rejected_reviews: z.boolean(),
  block_on_official_review_requests: z.boolean(),
  block_on_outdated_branch: z.boolean(),
  dismiss_stale_approvals: z.boolean(),
  ignore_stale_approvals: z.boolean(),
  require_signed_commits: z.boolean(),
  protected_file_patterns: z.string(),
  unprotected_file_patterns: z.string(),
  apply_to_admins: z.boolean(),
};

export const BranchProtection = z
  .object({
    rule_name: z.string(),
    branch_name: z.string().openapi({ description: "the rule's name, when a branch has it" }),
    id: z.int().openapi({ description: "its id in an order of rules" }),
    priority: z.int().openapi({ description: "of several globs that fit a branch the lowest counts" }),
    ...shape,
    created_at: dateTime,
    updated_at: dateTime,
  })
  .openapi("BranchProtection");
export const UpdateBranchProtectionPriories = z
  .object({
    ids: z.array(z.int()).max(100).openapi({ description: "of rules, those that count first in front" }),
  })
  .openapi("UpdateBranchProtectionPriories");
export type BranchProtectionJson = z.infer<typeof BranchProtection>;

const changes = z.object(shape).partial().shape;
export const EditBranchProtectionOption = z.object(changes).openapi("EditBranchProtectionOption");
export type ProtectionChanges = z.infer<typeof EditBranchProtectionOption>;
export const CreateBranchProtectionOption = z
  .object({ rule_name: z.string().optional(), branch_name: z.string().optional(), ...changes })
  .openapi("CreateBranchProtectionOption");
