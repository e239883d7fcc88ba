import { defined } from "#core/defined";
import type { NewRepository } from "#core/repository/create";
import type { RepositoryChanges } from "#core/repository/edit";
import type { MergeSettings, TrackerSettings } from "#core/repository/repository.table";
import type { Generation } from "#core/repository/template/generate";
import type { CreateRepoJson, EditRepoJson, GenerateRepoJson } from "./schema.ts";

/** A creation, in core's terms. */
export const newRepositoryFrom = (body: CreateRepoJson): NewRepository => ({
  name: body.name,
  description: body.description ?? "",
  isPrivate: body.private ?? false,
  isTemplate: body.template ?? false,
  defaultBranch: body.default_branch ?? "",
  objectFormat: body.object_format_name ?? "",
  hasReadme: body.auto_init ?? false,
  readmeTemplate: body.readme ?? "",
  gitignoreTemplates: body.gitignores ?? "",
  licenseTemplate: body.license ?? "",
  labelTemplate: body.issue_labels ?? "",
});

/** A generation from a template, in core's terms. */
export const generationFrom = (body: GenerateRepoJson): Generation => ({
  owner: body.owner,
  name: body.name,
  description: body.description ?? "",
  isPrivate: body.private ?? false,
  defaultBranch: body.default_branch ?? "",
  copiesContent: body.git_content ?? false,
  copiesTopics: body.topics ?? false,
  copiesAvatar: body.avatar ?? false,
  copiesLabels: body.labels ?? false,
  copiesHooks: body.webhooks ?? false,
  copiesProtections: body.protected_branch ?? false,
  copiesGitHooks: body.git_hooks ?? false,
});

/** An edit, in core's terms, without the wiki's branch, which the wiki handles. */
export function changesFrom(body: EditRepoJson): RepositoryChanges {
  const { external_tracker: tracker, external_wiki: wiki } = body;
  return defined({
    name: body.name,
    description: body.description,
    website: body.website,
    isPrivate: body.private,
    isTemplate: body.template,
    isArchived: body.archived,
    defaultBranch: body.default_branch || undefined,
    hasIssues: body.has_issues,
    hasWiki: body.has_wiki,
    hasPulls: body.has_pull_requests,
    hasProjects: body.has_projects,
    hasReleases: body.has_releases,
    hasPackages: body.has_packages,
    hasActions: body.has_actions,
    tracker: trackerChanges(body.internal_tracker),
    externalTracker:
      tracker === undefined
        ? undefined
        : {
            url: tracker.external_tracker_url ?? "",
            format: tracker.external_tracker_format ?? "",
            style: tracker.external_tracker_style ?? "",
            pattern: tracker.external_tracker_regexp_pattern ?? "",
          },
    externalWikiUrl: wiki === undefined ? undefined : (wiki.external_wiki_url ?? ""),
    isWikiOpen: body.globally_editable_wiki,
    merge: mergeChanges(body),
    mirrorInterval: body.mirror_interval,
    mirrorPrunes: body.enable_prune,
  });
}

const trackerChanges = (tracker: EditRepoJson["internal_tracker"] = {}): Partial<TrackerSettings> =>
  defined({
    hasTimeTracker: tracker.enable_time_tracker,
    isTimeForContributorsOnly: tracker.allow_only_contributors_to_track_time,
    hasDependencies: tracker.enable_issue_dependencies,
  });

const mergeChanges = (body: EditRepoJson): Partial<MergeSettings> =>
  defined({
    ignoreWhitespaceConflicts: body.ignore_whitespace_conflicts,
    allowMergeCommits: body.allow_merge_commits,
    allowRebase: body.allow_rebase,
    allowRebaseExplicit: body.allow_rebase_explicit,
    allowSquashMerge: body.allow_squash_merge,
    allowFastForwardOnlyMerge: body.allow_fast_forward_only_merge,
    allowRebaseUpdate: body.allow_rebase_update,
    defaultDeleteBranchAfterMerge: body.default_delete_branch_after_merge,
    defaultMergeStyle: body.default_merge_style,
    defaultUpdateStyle: body.default_update_style,
    defaultAllowMaintainerEdit: body.default_allow_maintainer_edit,
    allowManualMerge: body.allow_manual_merge,
    autodetectManualMerge: body.autodetect_manual_merge,
  });
