import type { Allowed, BranchProtection } from "#core/branch-protection/branch-protection.table";
import { timestamp } from "../../http/timestamps.ts";
import type { Names } from "./names.ts";
import type { BranchProtectionJson } from "./schema.ts";

/** A rule in the family's form; `isBranch` says whether a branch has the rule's name. */
export function presentProtection(
  rule: BranchProtection,
  names: Names,
  isBranch: boolean,
): BranchProtectionJson {
  const usersIn = (allowed: Allowed | undefined) => known(names.users, allowed?.userIds);
  const teamsIn = (allowed: Allowed | undefined) => known(names.teams, allowed?.teamIds);
  return {
    rule_name: rule.ruleName,
    branch_name: isBranch ? rule.ruleName : "",
    id: rule.id,
    priority: rule.priority,
    enable_push: rule.allowsPush,
    enable_push_whitelist: rule.pushers !== undefined,
    push_whitelist_usernames: usersIn(rule.pushers),
    push_whitelist_teams: teamsIn(rule.pushers),
    push_whitelist_deploy_keys: rule.allowsDeployKeys,
    enable_merge_whitelist: rule.mergers !== undefined,
    merge_whitelist_usernames: usersIn(rule.mergers),
    merge_whitelist_teams: teamsIn(rule.mergers),
    enable_status_check: rule.requiredContexts !== undefined,
    status_check_contexts: [...(rule.requiredContexts ?? [])],
    required_approvals: rule.requiredApprovals,
    enable_approvals_whitelist: rule.approvers !== undefined,
    approvals_whitelist_username: usersIn(rule.approvers),
    approvals_whitelist_teams: teamsIn(rule.approvers),
    block_on_rejected_reviews: rule.blocksOnRejectedReviews,
    block_on_official_review_requests: rule.blocksOnReviewRequests,
    block_on_outdated_branch: rule.blocksOnOutdatedBranch,
    dismiss_stale_approvals: rule.dismissesStaleApprovals,
    ignore_stale_approvals: rule.ignoresStaleApprovals,
    require_signed_commits: rule.requiresSignedCommits,
    protected_file_patterns: rule.protectedFiles,
    unprotected_file_patterns: rule.unprotectedFiles,
    apply_to_admins: rule.appliesToAdmins,
    created_at: timestamp(rule.createdAt),
    updated_at: timestamp(rule.updatedAt),
  };
}

const known = (names: ReadonlyMap<number, string>, ids: readonly number[] = []): string[] =>
  ids.flatMap((id) => names.get(id) ?? []);
