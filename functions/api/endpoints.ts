import type { EndpointGroup } from "../http/loaded-routes.ts";

/**
 * Every operation of the API, in the order of the document. A list is loaded with the first request for one of its
 * paths, so that a cold start reads little else than what it answers.
 */
export const endpointGroups: readonly EndpointGroup[] = [
  {
    paths: ["/version", "/nodeinfo"],
    load: async () => (await import("./miscellaneous/endpoints.ts")).miscellaneousEndpoints,
  },
  {
    paths: ["/markdown/*", "/markup", "/repos/{owner}/{repo}/markdown/*", "/repos/{owner}/{repo}/markup"],
    load: async () => (await import("./markdown/endpoints.ts")).markdownEndpoints,
  },
  {
    paths: ["/gitignore/templates/*", "/licenses/*", "/label/templates/*"],
    load: async () => (await import("./template/endpoints.ts")).templateEndpoints,
  },
  {
    paths: ["/admin/users", "/admin/users/{username}", "/admin/users/{username}/rename"],
    load: async () => (await import("./user/admin-endpoints.ts")).userAdministrationEndpoints,
  },
  {
    paths: ["/admin/cron/*"],
    load: async () => (await import("./cron-task/endpoints.ts")).cronTaskEndpoints,
  },
  {
    paths: [
      "/signing-key.gpg",
      "/signing-key.pub",
      "/signing-key.ssh",
      "/repos/{owner}/{repo}/signing-key.gpg",
      "/repos/{owner}/{repo}/signing-key.pub",
    ],
    load: async () => (await import("./miscellaneous/signing-key-endpoints.ts")).signingKeyEndpoints,
  },
  {
    paths: ["/user", "/users/search", "/users/{username}", "/user/settings", "/user/avatar"],
    load: async () => (await import("./user/endpoints.ts")).userEndpoints,
  },
  {
    paths: ["/user/emails", "/admin/users/{username}/emails", "/admin/emails/*"],
    load: async () => (await import("./user/email-endpoints.ts")).emailEndpoints,
  },
  {
    paths: [
      "/user/followers",
      "/user/following/*",
      "/users/{username}/followers",
      "/users/{username}/following/*",
    ],
    load: async () => (await import("./follow/endpoints.ts")).followEndpoints,
  },
  {
    paths: ["/settings/*"],
    load: async () => (await import("./settings/endpoints.ts")).settingsEndpoints,
  },
  {
    paths: ["/user/password", "/user/two_factor", "/admin/users/{username}/two_factor"],
    load: async () => (await import("./account/endpoints.ts")).accountEndpoints,
  },
  {
    paths: ["/users/{username}/tokens/*", "/token"],
    load: async () => (await import("./token/endpoints.ts")).tokenEndpoints,
  },
  {
    paths: ["/user/applications/oauth2/*"],
    load: async () => (await import("./oauth2-application/endpoints.ts")).oauth2ApplicationEndpoints,
  },
  {
    paths: ["/user/keys/*", "/users/{username}/keys", "/admin/users/{username}/keys/*"],
    load: async () => (await import("./public-key/endpoints.ts")).publicKeyEndpoints,
  },
  {
    paths: ["/user/gpg_keys/*", "/users/{username}/gpg_keys", "/user/gpg_key_token", "/user/gpg_key_verify"],
    load: async () => (await import("./gpg-key/endpoints.ts")).gpgKeyEndpoints,
  },
  {
    paths: [
      "/admin/users/{username}/orgs",
      "/admin/orgs",
      "/orgs",
      "/orgs/{org}",
      "/orgs/{org}/rename",
      "/orgs/{org}/avatar",
      "/user/orgs",
      "/users/{username}/orgs/*",
    ],
    load: async () => (await import("./organization/endpoints.ts")).organizationEndpoints,
  },
  {
    paths: ["/orgs/{org}/members/*", "/orgs/{org}/public_members/*"],
    load: async () => (await import("./organization/member-endpoints.ts")).memberEndpoints,
  },
  {
    paths: ["/orgs/{org}/repos", "/org/{org}/repos"],
    load: async () =>
      (await import("./organization/repository-endpoints.ts")).organizationRepositoryEndpoints,
  },
  {
    paths: [
      "/orgs/{org}/blocks/*",
      "/orgs/{org}/list_blocked",
      "/orgs/{org}/block/*",
      "/orgs/{org}/unblock/*",
    ],
    load: async () => (await import("./block/organization-endpoints.ts")).organizationBlockEndpoints,
  },
  {
    paths: ["/user/blocks/*", "/user/list_blocked", "/user/block/*", "/user/unblock/*"],
    load: async () => (await import("./block/user-endpoints.ts")).userBlockEndpoints,
  },
  {
    paths: ["/orgs/{org}/teams/*", "/teams/{id}", "/user/teams"],
    load: async () => (await import("./team/endpoints.ts")).teamEndpoints,
  },
  {
    paths: ["/teams/{id}/members/*"],
    load: async () => (await import("./team/member-endpoints.ts")).teamMemberEndpoints,
  },
  {
    paths: ["/teams/{id}/repos/*", "/repos/{owner}/{repo}/teams/*"],
    load: async () => (await import("./team/repository-endpoints.ts")).teamRepositoryEndpoints,
  },
  {
    paths: ["/user/repos", "/admin/users/{username}/repos", "/repos/{owner}/{repo}", "/repositories/{id}"],
    load: async () => (await import("./repository/endpoints.ts")).repositoryEndpoints,
  },
  {
    paths: ["/user/repos", "/users/{username}/repos", "/repos/search"],
    load: async () => (await import("./repository/list-endpoints.ts")).repositoryListEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/forks"],
    load: async () => (await import("./repository/fork-endpoints.ts")).repositoryForkEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/languages"],
    load: async () => (await import("./repository/language-endpoints.ts")).repositoryLanguageEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/licenses"],
    load: async () => (await import("./repository/license-endpoints.ts")).repositoryLicenseEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/flags/*"],
    load: async () => (await import("./repository/flag-endpoints.ts")).repositoryFlagEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/avatar", "/repos/{owner}/{repo}/convert"],
    load: async () => (await import("./repository/setting-endpoints.ts")).repositorySettingEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/generate"],
    load: async () => (await import("./repository/template-endpoints.ts")).repositoryTemplateEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/transfer/*"],
    load: async () => (await import("./repository/transfer-endpoints.ts")).repositoryTransferEndpoints,
  },
  {
    paths: ["/admin/unadopted/*"],
    load: async () => (await import("./repository/unadopted-endpoints.ts")).unadoptedEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/topics/*", "/topics/search"],
    load: async () => (await import("./topic/endpoints.ts")).topicEndpoints,
  },
  {
    paths: ["/user/starred/*", "/users/{username}/starred", "/repos/{owner}/{repo}/stargazers"],
    load: async () => (await import("./star/endpoints.ts")).starEndpoints,
  },
  {
    paths: [
      "/repos/{owner}/{repo}/subscription",
      "/repos/{owner}/{repo}/subscribers",
      "/user/subscriptions",
      "/users/{username}/subscriptions",
    ],
    load: async () => (await import("./watch/endpoints.ts")).watchEndpoints,
  },
  {
    paths: [
      "/users/{username}/activities/*",
      "/users/{username}/heatmap",
      "/repos/{owner}/{repo}/activities/*",
      "/orgs/{org}/activities/*",
      "/teams/{id}/activities/*",
    ],
    load: async () => (await import("./activity/endpoints.ts")).activityEndpoints,
  },
  {
    paths: ["/notifications/*", "/repos/{owner}/{repo}/notifications"],
    load: async () => (await import("./notification/endpoints.ts")).notificationEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/collaborators/*"],
    load: async () => (await import("./collaborator/endpoints.ts")).collaboratorEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/assignees/*", "/repos/{owner}/{repo}/reviewers"],
    load: async () => (await import("./collaborator/insider-endpoints.ts")).insiderEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/branches/*"],
    load: async () => (await import("./branch/endpoints.ts")).branchEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/branch_protections/*"],
    load: async () => (await import("./branch-protection/endpoints.ts")).branchProtectionEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/tags/*"],
    load: async () => (await import("./tag/endpoints.ts")).tagEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/tag_protections/*"],
    load: async () => (await import("./tag-protection/endpoints.ts")).tagProtectionEndpoints,
  },
  {
    paths: [
      "/repos/{owner}/{repo}/contents/*",
      "/repos/{owner}/{repo}/contents-ext/*",
      "/repos/{owner}/{repo}/file-contents",
      "/repos/{owner}/{repo}/editorconfig/*",
      "/repos/{owner}/{repo}/raw/*",
      "/repos/{owner}/{repo}/media/*",
    ],
    load: async () => (await import("./contents/endpoints.ts")).contentsEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/contents/*", "/repos/{owner}/{repo}/diffpatch"],
    load: async () => (await import("./contents/write-endpoints.ts")).fileEndpoints,
  },
  {
    paths: [
      "/repos/{owner}/{repo}/commits",
      "/repos/{owner}/{repo}/git/*",
      "/repos/{owner}/{repo}/compare/*",
    ],
    load: async () => (await import("./commit/endpoints.ts")).commitEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/git/*"],
    load: async () => (await import("./git-data/endpoints.ts")).gitDataEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/statuses/*", "/repos/{owner}/{repo}/commits/*"],
    load: async () => (await import("./commit-status/endpoints.ts")).commitStatusEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/sync_fork/*", "/repos/{owner}/{repo}/merge-upstream"],
    load: async () => (await import("./fork-sync/endpoints.ts")).forkSyncEndpoints,
  },
  {
    paths: ["/repos/migrate", "/repos/{owner}/{repo}/mirror-sync", "/repos/{owner}/{repo}/migration"],
    load: async () => (await import("./mirror/endpoints.ts")).mirrorEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/import/*"],
    load: async () => (await import("./import/endpoints.ts")).importEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/push_mirrors/*", "/repos/{owner}/{repo}/push_mirrors-sync"],
    load: async () => (await import("./push-mirror/endpoints.ts")).pushMirrorEndpoints,
  },
  {
    paths: [
      "/repos/{owner}/{repo}/archive/*",
      "/repos/{owner}/{repo}/zipball/*",
      "/repos/{owner}/{repo}/tarball/*",
      "/repos/{owner}/{repo}/bundle/*",
    ],
    load: async () => (await import("./archive/endpoints.ts")).archiveEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/wiki/*"],
    load: async () => (await import("./wiki/endpoints.ts")).wikiEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/releases/*"],
    load: async () => (await import("./release/all-endpoints.ts")).allReleaseEndpoints,
  },
  {
    paths: [
      "/repos/{owner}/{repo}/actions/tasks",
      "/repos/{owner}/{repo}/actions/jobs/*",
      "/repos/{owner}/{repo}/actions/runs",
      "/repos/{owner}/{repo}/actions/runs/{run}",
      "/repos/{owner}/{repo}/actions/runs/{run}/attempts/*",
      "/repos/{owner}/{repo}/actions/runs/{run}/jobs/*",
      "/repos/{owner}/{repo}/actions/runs/{run}/rerun",
      "/repos/{owner}/{repo}/actions/runs/{run}/rerun-failed-jobs",
      "/repos/{owner}/{repo}/actions/runs/{run}/cancel",
      "/repos/{owner}/{repo}/actions/runs/{run}/approve",
      "/repos/{owner}/{repo}/actions/workflows/*",
      "/orgs/{org}/actions/runs",
      "/orgs/{org}/actions/jobs",
      "/user/actions/runs",
      "/user/actions/jobs",
      "/admin/actions/runs",
      "/admin/actions/jobs",
    ],
    load: async () => (await import("./run/all-endpoints.ts")).allRunEndpoints,
  },
  {
    paths: [
      "/repos/{owner}/{repo}/actions/artifacts/*",
      "/repos/{owner}/{repo}/actions/runs/{run}/artifacts",
    ],
    load: async () => (await import("./artifact/endpoints.ts")).artifactEndpoints,
  },
  {
    paths: [
      "/repos/{owner}/{repo}/actions/runners/*",
      "/orgs/{org}/actions/runners/*",
      "/user/actions/runners/*",
      "/admin/actions/runners/*",
      "/admin/runners/*",
    ],
    load: async () => (await import("./runner/endpoints.ts")).actionsRunnerEndpoints,
  },
  {
    paths: [
      "/repos/{owner}/{repo}/actions/variables/*",
      "/orgs/{org}/actions/variables/*",
      "/user/actions/variables/*",
    ],
    load: async () => (await import("./action-variable/endpoints.ts")).actionVariableEndpoints,
  },
  {
    paths: [
      "/repos/{owner}/{repo}/actions/secrets/*",
      "/orgs/{org}/actions/secrets/*",
      "/user/actions/secrets/*",
    ],
    load: async () => (await import("./action-secret/endpoints.ts")).actionSecretEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/hooks/git/*"],
    load: async () => (await import("./hook/git-hook-endpoints.ts")).gitHookEndpoints,
  },
  {
    paths: ["/admin/users/{username}/badges"],
    load: async () => (await import("./user/badge-endpoints.ts")).badgeEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/hooks/*", "/orgs/{org}/hooks/*", "/user/hooks/*", "/admin/hooks/*"],
    load: async () => (await import("./hook/endpoints.ts")).hookEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/keys/*"],
    load: async () => (await import("./deploy-key/endpoints.ts")).deployKeyEndpoints,
  },
  {
    paths: [
      "/repos/{owner}/{repo}/issues/*",
      "/repos/{owner}/{repo}/new_pin_allowed",
      "/repos/{owner}/{repo}/times/*",
      "/user/times",
      "/user/stopwatches",
    ],
    load: async () => (await import("./issue/all-endpoints.ts")).allIssueEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/pulls/*", "/repos/{owner}/{repo}/commits/{sha}/pull"],
    load: async () => (await import("./pull/all-endpoints.ts")).allPullEndpoints,
  },
  {
    paths: ["/repos/issues/search"],
    load: async () => (await import("./issue/search-endpoints.ts")).issueSearchEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/issue_templates", "/repos/{owner}/{repo}/issue_config/*"],
    load: async () => (await import("./issue-template/endpoints.ts")).issueTemplateEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/labels/*", "/orgs/{org}/labels/*"],
    load: async () => (await import("./label/endpoints.ts")).labelEndpoints,
  },
  {
    paths: ["/admin/quota/*", "/admin/users/{username}/quota/*"],
    load: async () => (await import("./quota/admin-endpoints.ts")).quotaAdministrationEndpoints,
  },
  {
    paths: ["/packages/*"],
    load: async () => (await import("./package/endpoints.ts")).packageEndpoints,
  },
  {
    paths: ["/user/quota/*", "/orgs/{org}/quota/*"],
    load: async () => (await import("./quota/owner-endpoints.ts")).ownerQuotaEndpoints,
  },
  {
    paths: ["/repos/{owner}/{repo}/milestones/*"],
    load: async () => (await import("./milestone/endpoints.ts")).milestoneEndpoints,
  },
];
