import type { UnitName } from "../access/modes.ts";

/** The words of `op_type` (semantics §67.2), in the family's order; some are never written (docs/data/activity.md). */
export const activityTypes = [
  "create_repo",
  "rename_repo",
  "star_repo",
  "watch_repo",
  "commit_repo",
  "create_issue",
  "create_pull_request",
  "transfer_repo",
  "push_tag",
  "comment_issue",
  "merge_pull_request",
  "close_issue",
  "reopen_issue",
  "close_pull_request",
  "reopen_pull_request",
  "delete_tag",
  "delete_branch",
  "mirror_sync_push",
  "mirror_sync_create",
  "mirror_sync_delete",
  "approve_pull_request",
  "reject_pull_request",
  "comment_pull",
  "publish_release",
  "pull_review_dismissed",
  "pull_request_ready_for_review",
  "auto_merge_pull_request",
] as const;
export type ActivityType = (typeof activityTypes)[number];

const ofIssues: readonly ActivityType[] = ["create_issue", "comment_issue", "close_issue", "reopen_issue"];
const ofRepository: readonly ActivityType[] = [
  "create_repo",
  "rename_repo",
  "transfer_repo",
  "star_repo",
  "watch_repo",
];
const ofCode: readonly ActivityType[] = [
  "commit_repo",
  "push_tag",
  "delete_tag",
  "delete_branch",
  "mirror_sync_push",
  "mirror_sync_create",
  "mirror_sync_delete",
];

/** The units of a repository in which activities happen. */
export type ActivityUnit = Extract<UnitName, "code" | "issues" | "pulls" | "releases">;

/** The unit that a reader must be able to read; undefined: who sees the repository sees the activity. */
export function unitOf(type: ActivityType): ActivityUnit | undefined {
  if (ofRepository.includes(type)) return undefined;
  if (ofIssues.includes(type)) return "issues";
  if (ofCode.includes(type)) return "code";
  return type === "publish_release" ? "releases" : "pulls";
}
