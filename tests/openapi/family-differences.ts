/**
 * Where the Swagger 2 form differs from the family's document, with the reason: a line that `family.test.ts` finds has to
 * stand here, and a line that stands here has to be found.
 */
export const differences: Readonly<
  Record<"operations" | "schemas", Readonly<Record<string, readonly string[]>>>
> = {
  operations: {
    "what comes without a body has 204 here, as in the semantics; the 205 of notifications: docs/differences.md":
      [
        "adminRemoveRuleFromQuotaGroup 201: not here",
        "createOrgVariable 201: not here",
        "createRepoVariable 201: not here",
        "createUserVariable 201: not here",
        "deleteOrgVariable 200: not here",
        "deleteOrgVariable 201: not here",
        "deleteRepoVariable 200: not here",
        "deleteRepoVariable 201: not here",
        "deleteUserVariable 201: not here",
        "notifyReadList 205: not here",
        "notifyReadRepoList 205: not here",
        "notifyReadThread 205: not here",
        "unlinkPackage 201: not here",
        "updateOrgVariable 201: not here",
        "updateRepoVariable 201: not here",
        "updateUserVariable 201: not here",
      ],
    "the status that Forgejo and Gitea send, not the one that they declare": [
      "issueRemoveIssueBlocking 200: not here",
      "issueRemoveIssueDependencies 200: not here",
      "repoApplyDiffPatch 200: not here",
    ],
    "a parameter that the service document, or Gitea, calls otherwise": [
      "ActionRun path run: only here",
      "ActionRun path run_id: not here",
      "DispatchWorkflow path workflow_id: only here",
      "DispatchWorkflow path workflowname: not here",
      "repoDeleteGitHook path id: not here",
      "repoDeleteGitHook path name: only here",
      "repoEditGitHook path id: not here",
      "repoEditGitHook path name: only here",
      "repoGetArchive path archive: not here",
      "repoGetArchive path filepath: only here",
      "repoGetGitHook path id: not here",
      "repoGetGitHook path name: only here",
    ],
    "D-IDS: the service document has integers": [
      "issueDeleteMilestone path id: string, here integer:int64",
      "issueEditMilestone path id: string, here integer:int64",
      "issueGetMilestone path id: string, here integer:int64",
    ],
    "what both send, which is not what they declare": [
      "getBlobs 200: GitBlob[], here GitBlobResponse[]",
      "repoGetEditorConfig 200: any, here EditorConfig",
      "repoGetLanguages 200: map<integer>, here LanguageStatistics",
      "repoSyncForkBranchInfo 200: SyncForkInfo[], here SyncForkInfo",
      "repoSyncForkDefaultInfo 200: SyncForkInfo[], here SyncForkInfo",
      "topicSearch 200: TopicResponse[], here object{topics:TopicResponse[]}",
      "userSearch 200: object{data:User[],ok:boolean}, here UserSearchResults",
    ],
    "the wider one of the family's two bodies": [
      "issueRemoveIssueDependencies body: IssueMeta, here RemovedDependency",
      "repoApplyDiffPatch body: UpdateFileOptions, here ApplyDiffPatchFileOptions",
      "repoCreatePullReviewComment body: CreatePullReviewCommentOptions, here CreatePullReviewComment",
      "repoUpdateBranch body: UpdateBranchRepoOption, here RenameBranchRepoOption",
      "userVerifyGPGKey body: undefined, here VerifyGpgKeyOption",
    ],
    "runs are of one form here, the wider one": ["ActionRun 200: RepoActionRun, here ActionWorkflowRun"],
    "without which there is nothing to answer": [
      "orgCheckQuota query subject: only here",
      "userCheckQuota query subject: only here",
    ],
    "filters for what is not here: every run has its pull requests, workflows stand in their own repository":
      [
        "ActionsListWorkflowRuns query exclude_pull_requests: not here",
        "ActionsListWorkflowRuns query scoped_workflow_source_repo_id: not here",
      ],
  },
  schemas: {
    "runs have one form here, and name no pull requests": [
      "ActionWorkflowRun.pull_requests: PullRequestMinimal[], here object{}[]",
      "ListRepoActionRunResponse.workflow_runs: RepoActionRun[], here ActionWorkflowRun[]",
    ],
    "words in the family, any text here": [
      "AddCollaboratorOption.permission: read|write|admin",
      "CreateMilestoneOption.state: open|closed",
    ],
    "D-OPIDS: PATCH of a branch, and PUT, each with the body of its own": [
      "UpdateBranchRepoOption.name: not here",
      "UpdateBranchRepoOption.new_commit_id: optional",
    ],
    "nothing is deleted but leaves the list; hooks of the system are made by their own operation": [
      "ActionWorkflow.deleted_at: not here",
      "CreateHookOption.is_system_webhook: not here",
    ],
    "what it holds is known": ["Hook.metadata: any, here map<string>"],
    "a list of texts": ["IssueTemplate.assignees: IssueTemplateStringSlice, here string[]"],
  },
};
