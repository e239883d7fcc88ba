import type { ProtectionSettings } from "#core/branch-protection/branch-protection.table";
import { allowedFrom, type NamingRequest } from "./names.ts";
import type { ProtectionChanges } from "./schema.ts";

/** A rule's settings after a request; absent members stay. Names are looked up once, ahead. */
export async function settingsFrom(
  request: NamingRequest,
  body: ProtectionChanges,
  before: ProtectionSettings,
): Promise<(settings: ProtectionSettings) => ProtectionSettings> {
  const listed = async (
    isOn: boolean | undefined,
    named: Parameters<typeof allowedFrom>[1],
    current: ProtectionSettings["pushers"],
    needsWriters: boolean,
  ) => ((isOn ?? current !== undefined) ? allowedFrom(request, named, current, needsWriters) : undefined);
  const push = { users: body.push_whitelist_usernames, teams: body.push_whitelist_teams };
  const merge = { users: body.merge_whitelist_usernames, teams: body.merge_whitelist_teams };
  const approve = { users: body.approvals_whitelist_username, teams: body.approvals_whitelist_teams };
  const lists = {
    pushers: await listed(body.enable_push_whitelist, push, before.pushers, true),
    mergers: await listed(body.enable_merge_whitelist, merge, before.mergers, true),
    approvers: await listed(body.enable_approvals_whitelist, approve, before.approvers, false),
  };
  return (settings) => ({ ...settings, ...plainFrom(body, settings), ...lists });
}

/** The settings that a request gives as they are. */
function plainFrom(
  body: ProtectionChanges,
  old: ProtectionSettings,
): Omit<ProtectionSettings, "pushers" | "mergers" | "approvers"> {
  const approvals = body.required_approvals ?? old.requiredApprovals;
  return {
    allowsPush: body.enable_push ?? old.allowsPush,
    allowsDeployKeys: body.push_whitelist_deploy_keys ?? old.allowsDeployKeys,
    requiredContexts: contextsFrom(body, old),
    requiredApprovals: approvals < 0 ? old.requiredApprovals : approvals,
    blocksOnRejectedReviews: body.block_on_rejected_reviews ?? old.blocksOnRejectedReviews,
    blocksOnReviewRequests: body.block_on_official_review_requests ?? old.blocksOnReviewRequests,
    blocksOnOutdatedBranch: body.block_on_outdated_branch ?? old.blocksOnOutdatedBranch,
    dismissesStaleApprovals: body.dismiss_stale_approvals ?? old.dismissesStaleApprovals,
    ignoresStaleApprovals: body.ignore_stale_approvals ?? old.ignoresStaleApprovals,
    requiresSignedCommits: body.require_signed_commits ?? old.requiresSignedCommits,
    protectedFiles: body.protected_file_patterns ?? old.protectedFiles,
    unprotectedFiles: body.unprotected_file_patterns ?? old.unprotectedFiles,
    appliesToAdmins: body.apply_to_admins ?? old.appliesToAdmins,
  };
}

function contextsFrom(body: ProtectionChanges, { requiredContexts }: ProtectionSettings) {
  const isOn = body.enable_status_check ?? requiredContexts !== undefined;
  return isOn ? (body.status_check_contexts ?? requiredContexts ?? []) : undefined;
}
