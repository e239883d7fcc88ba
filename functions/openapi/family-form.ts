/** Where the family's document (Forgejo's, where the two differ) declares less, or otherwise, than ours knows. */

/** Fields that the family declares by their words; any other text is free there. */
export const fixedWords: ReadonlySet<string> = new Set([
  "ActionRunner.status",
  "Activity.op_type",
  "AddCollaboratorOption.permission",
  "Attachment.type",
  "ChangeFileOperation.operation",
  "CreateHookOption.type",
  "CreateMilestoneOption.state",
  "CreateOrgOption.visibility",
  "CreateRepoOption.object_format_name",
  "CreateRepoOption.trust_model",
  "CreateTeamOption.permission",
  "EditOrgOption.visibility",
  "EditTeamOption.permission",
  "MergePullRequestOption.Do",
  "MigrateRepoOptions.service",
  "Repository.object_format_name",
  "Team.permission",
]);

/** Fields without the format that ours has: contents in base64, and dates that anybody made up. */
export const anyText: ReadonlySet<string> = new Set([
  "ChangeFileOperation.content",
  "CommitUser.date",
  "CreateFileOptions.content",
  "UpdateFileOptions.content",
]);

const addresses: ReadonlySet<string> = new Set(
  ["CommitUser", "CreateUserOption", "EditUserOption", "Email", "Identity", "PayloadUser", "User"].map(
    (name) => `${name}.email`,
  ),
);
const lines: ReadonlySet<string> = new Set([
  "PullReviewComment.original_position",
  "PullReviewComment.position",
]);

/** The format that the family names where ours has another, or none. */
export function formatOf(place: string): { readonly format?: string } {
  if (addresses.has(place)) return { format: "email" };
  return lines.has(place) ? { format: "uint64" } : {};
}

/** Fields whose values are of a named schema in the family's document, and of a narrower one here. */
export const namedFields: Readonly<Record<string, string>> = {
  "ActionArtifact.workflow_run": "ActionWorkflowRun",
  "CreatePullReviewOptions.event": "ReviewStateType",
  "CreateQuotaGroupOptions.rules": "CreateQuotaRuleOptions",
  "EditRepoOption.external_tracker": "ExternalTracker",
  "EditRepoOption.external_wiki": "ExternalWiki",
  "EditRepoOption.internal_tracker": "InternalTracker",
  "GPGKey.subkeys": "GPGKey",
  "NotificationSubject.state": "StateType",
  "SubmitPullReviewOptions.event": "ReviewStateType",
};

/** The words of fields that take any text here. */
export const textWords: Readonly<Record<string, readonly string[]>> = {
  "AddCollaboratorOption.permission": ["read", "write", "admin"],
  "CreateMilestoneOption.state": ["open", "closed"],
};

/** Fields of requests that the family demands, and that may be left out here. */
export const demandedInBodies: ReadonlySet<string> = new Set([
  "DispatchWorkflowOption.ref",
  "EditDeadlineOption.due_date",
  "EditTeamOption.name",
  "UpdateFileOptions.sha",
]);

/** Fields that requests must have here, and that the family leaves to its answer to demand. */
export const optionalInBodies: ReadonlySet<string> = new Set([
  "CreateEmailOption.emails",
  "CreateMilestoneOption.title",
  "CreateOAuth2ApplicationOptions.name",
  "CreateOAuth2ApplicationOptions.redirect_uris",
  "CreatePullRequestOption.base",
  "CreatePullRequestOption.head",
  "CreatePullRequestOption.title",
  "CreatePullReviewComment.body",
  "CreatePullReviewComment.path",
  "CreatePullReviewCommentReplyOptions.body",
  "CreatePushMirrorOption.remote_address",
  "CreateQuotaGroupOptions.name",
  "CreateQuotaRuleOptions.limit",
  "CreateQuotaRuleOptions.name",
  "CreateStatusOption.state",
  "DeleteEmailOption.emails",
  "GetFilesOptions.files",
  "IssueMeta.index",
  "UpdateBranchProtectionPriories.ids",
  "UpdateRepoAvatarOption.image",
  "UpdateUserAvatarOption.image",
  "VerifyGpgKeyOption.armored_signature",
]);

/** Parameters that are numbers or lists here and text there, by the end of their path. */
const textParameters: readonly (readonly [route: RegExp, name: string])[] = [
  [/\/actions\/runners\/\{runner_id\}$/, "runner_id"],
  [/\/actions\/artifacts\/\{artifact_id\}/, "artifact_id"],
  [/\/actions\/jobs\/\{job_id\}$/, "job_id"],
  [/\/issues\/\{index\}\/(blocks|dependencies)$/, "index"],
  [/\/milestones\/\{id\}$/, "id"],
  [/^\w+ \/notifications\/threads\/\{id\}$/, "id"],
  [/\/jobs$/, "status"],
  [/^get \/(admin|user|orgs\/\{org\})\/actions\/runs$/, "status"],
  [/^get \/(admin|user|orgs\/\{org\})\/actions\/runs$/, "event"],
  [/\/actions\/workflows\/\{workflow_id\}\/runs$/, "status"],
  [/\/actions\/workflows\/\{workflow_id\}\/runs$/, "event"],
  [/^put .*\/notifications$/, "all"],
];

/** Whether the family declares a parameter as text that is a number, a flag or a list here. */
export const isTextInFamily = (route: string, name: string): boolean =>
  textParameters.some(([path, named]) => named === name && path.test(route));

const ofIssues = /^get \/repos\/(issues\/search|\{owner\}\/\{repo\}\/issues)$/;
const packageTypes =
  "alpine cargo chef composer conan conda container cran debian generic go helm maven npm nuget pub pypi rpm rubygems swift vagrant";

/** The words of parameters that take any text here, by their path. */
const parameterWords: readonly (readonly [route: RegExp, name: string, words: string])[] = [
  [/^get \/packages\/\{owner\}$/, "type", packageTypes],
  [ofIssues, "state", "open closed all"],
  [ofIssues, "type", "issues pulls"],
  [/^get \/repos\/\{owner\}\/\{repo\}\/pulls$/, "state", "open closed all"],
];

/** The words that the family declares for a parameter that takes any text here. */
export const wordsInFamily = (route: string, name: string): readonly string[] | undefined =>
  parameterWords.find(([path, named]) => named === name && path.test(route))?.[2].split(" ");

const demandedParameters: readonly (readonly [route: string, name: string])[] = [
  ["get /repos/{owner}/{repo}/file-contents", "body"],
  ["get /repos/{owner}/{repo}/git/blobs", "shas"],
  ["get /topics/search", "q"],
];

/** Whether the family demands a parameter of the query whose absence has an answer of its own here. */
export const isDemandedInFamily = (route: string, name: string): boolean =>
  demandedParameters.some(([path, demanded]) => demanded === name && path === route);

/**
 * Operations that take no query in the family. A generated method has a parameter more for a query, so calls that give
 * one after it would not compile.
 */
export const withoutQuery: ReadonlySet<string> = new Set([
  "adminListQuotaGroups",
  "adminListQuotaRules",
  "adminListUserEmails",
  "adminListUsersInQuotaGroup",
  "DispatchWorkflow",
  "issueAddLabel",
  "issueGetCommentReactions",
  "issueGetLabels",
  "issueListIssueAttachments",
  "issueListIssueCommentAttachments",
  "issueReplaceLabels",
  "repoCompareDiff",
  "repoGetAssignees",
  "repoGetIssueTemplates",
  "repoGetPullReviewComments",
  "repoGetReviewers",
  "repoListPinnedIssues",
  "repoListPinnedPullRequests",
  "repoListReleaseAttachments",
  "userListEmails",
  "userTrackedTimes",
]);
