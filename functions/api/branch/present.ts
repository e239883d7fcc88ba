import { isRepositoryAdmin } from "#core/access/modes";
import type { RepositoryAccess } from "#core/access/repository-access";
import type { Branch } from "#core/branch/branch";
import type { BranchProtection } from "#core/branch-protection/branch-protection.table";
import type { User } from "#core/user/user.table";
import type { View } from "../../http/answer/view.ts";
import { presentPayloadCommit } from "../commit/payload-commit.ts";
import type { BranchJson } from "./schema.ts";

/** A branch's rule, if it has one, and the caller's rights under it. */
export interface BranchRule {
  readonly rule: BranchProtection | undefined;
  readonly mayPush: boolean;
  readonly mayMerge: boolean;
}

/** A branch as the caller may see it; `people` are the accounts behind the addresses in its commit. */
export function presentBranch(
  view: View,
  access: RepositoryAccess,
  { branch, people }: { readonly branch: Branch; readonly people: ReadonlyMap<string, User> },
  { rule, mayPush, mayMerge }: BranchRule,
): BranchJson {
  const { name, commitId: id, commit, verification } = branch;
  return {
    name,
    commit: presentPayloadCommit(view, access, { id, commit, verification, people }),
    protected: rule !== undefined,
    required_approvals: rule?.requiredApprovals ?? 0,
    enable_status_check: rule?.requiredContexts !== undefined,
    status_check_contexts: [...(rule?.requiredContexts ?? [])],
    user_can_push: mayPush,
    user_can_merge: mayMerge,
    effective_branch_protection_name: isRepositoryAdmin(access.rights) ? (rule?.ruleName ?? "") : "",
  };
}
