import { enabledUnits } from "#core/access/enabled-units";
import { accessMode, isRepositoryAdmin, modeOf } from "#core/access/modes";
import type { RepositoryDetails } from "#core/repository/details";
import type { RepositoryListing } from "#core/repository/listing/page";
import { formatInterval, mirrorOf } from "#core/repository/mirror";
import type { Repository } from "#core/repository/repository.table";
import { apiLinkTo, linkTo } from "../../http/answer/links.ts";
import type { Listing } from "../../http/answer/paging.ts";
import type { View } from "../../http/answer/view.ts";
import { timestamp, unsetTimestamp } from "../../http/timestamps.ts";
import { presentOwner } from "../organization/present.ts";
import { presentTeam } from "../team/present.ts";
import { presentUser } from "../user/present.ts";
import type { RepositoryJson } from "./schema.ts";

/** A page of repositories. Many of them have the same owner, who is presented once. */
export function presentListing(view: View, { items, total }: RepositoryListing): Listing<RepositoryJson> {
  const owners = new Map<RepositoryDetails["owner"], RepositoryJson["owner"]>();
  const presentOnce = (owner: RepositoryDetails["owner"]) => {
    const presented = owners.get(owner) ?? presentOwner(view, owner);
    owners.set(owner, presented);
    return presented;
  };
  return { items: items.map((details) => presentRepository(view, details, presentOnce)), total };
}

/** The repository as the caller may see it, in the family's form (semantics §32). */
export function presentRepository(
  view: View,
  details: RepositoryDetails,
  presentItsOwner = (owner: RepositoryDetails["owner"]) => presentOwner(view, owner),
): RepositoryJson {
  const { repository, owner, counts } = details;
  const fixed = fixedParts(view, details);
  return {
    id: repository.id,
    owner: presentItsOwner(owner),
    name: repository.name,
    full_name: `${owner.name}/${repository.name}`,
    description: repository.description,
    empty: repository.isEmpty,
    private: repository.isPrivate,
    fork: repository.isFork,
    template: repository.isTemplate,
    parent: details.parent === undefined ? null : presentRepository(view, details.parent),
    mirror: repository.isMirror,
    size: Math.ceil((details.gitBytes + details.lfsBytes) / 1024),
    language: details.language,
    ...fixed.links,
    original_url: repository.originalUrl ?? "",
    website: repository.website,
    stars_count: counts.stars,
    forks_count: counts.forks,
    watchers_count: counts.watchers,
    open_issues_count: counts.openIssues,
    open_pr_counter: counts.openPulls,
    release_counter: counts.releases,
    default_branch: repository.defaultBranch,
    archived: repository.isArchived,
    created_at: fixed.createdAt,
    updated_at: timestamp(Math.max(repository.updatedAt, details.pushedAt)),
    archived_at: repository.archivedAt === 0 ? unsetTimestamp : timestamp(repository.archivedAt),
    permissions: permissions(details),
    ...fixed.units,
    ...fixed.mergeSettings,
    avatar_url: repository.avatar ? linkTo(view.config, "avatars", repository.avatar) : "",
    internal: !repository.isPrivate && owner.visibility === "private",
    ...fixed.mirror,
    object_format_name: repository.objectFormat,
    repo_transfer: transfer(view, details),
    topics: [...repository.topics],
  };
}

/** The parts that follow from the repository, its owner's name and the settings alone. */
interface FixedParts {
  readonly ownerName: string;
  readonly config: View["config"];
  readonly createdAt: string;
  readonly links: ReturnType<typeof links>;
  readonly units: ReturnType<typeof units>;
  readonly mergeSettings: ReturnType<typeof mergeSettings>;
  readonly mirror: ReturnType<typeof mirror>;
}

/** Kept for as long as the item: lists take an unchanged repository from memory, and nobody changes that object. */
const keptParts = new WeakMap<Repository, FixedParts>();

function fixedParts(view: View, details: RepositoryDetails): FixedParts {
  const { repository, owner } = details;
  const kept = keptParts.get(repository);
  if (kept?.ownerName === owner.name && kept.config === view.config) return kept;
  const made = {
    ...{ ownerName: owner.name, config: view.config, createdAt: timestamp(repository.createdAt) },
    ...{ links: links(view, details), units: units(view, repository) },
    ...{ mergeSettings: mergeSettings(repository), mirror: mirror(repository) },
  };
  keptParts.set(repository, made);
  return made;
}

function links({ config }: View, { repository, owner }: RepositoryDetails) {
  const html = linkTo(config, owner.name, repository.name);
  const url = apiLinkTo(config, "repos", owner.name, repository.name);
  return {
    languages_url: `${url}/languages`,
    html_url: html,
    url,
    link: "",
    ssh_url: `git@${new URL(config.rootUrl).hostname}:${owner.name}/${repository.name}.git`,
    clone_url: `${html}.git`,
  };
}

function permissions({ rights }: RepositoryDetails): RepositoryJson["permissions"] {
  const code = modeOf(rights, "code");
  return {
    admin: isRepositoryAdmin(rights),
    push: code >= accessMode.write,
    pull: code >= accessMode.read,
  };
}

function units({ config }: View, repository: Repository) {
  const enabled = enabledUnits(config, repository);
  const { tracker, externalTracker, externalWikiUrl } = repository;
  const internal = {
    enable_time_tracker: tracker.hasTimeTracker,
    allow_only_contributors_to_track_time: tracker.isTimeForContributorsOnly,
    enable_issue_dependencies: tracker.hasDependencies,
  };
  const external = {
    external_tracker_url: externalTracker?.url ?? "",
    external_tracker_format: externalTracker?.format ?? "",
    external_tracker_style: externalTracker?.style ?? "",
    external_tracker_regexp_pattern: externalTracker?.pattern ?? "",
  };
  return {
    has_issues: enabled.has("issues") || enabled.has("ext_issues"),
    ...(enabled.has("issues") ? { internal_tracker: internal } : {}),
    ...(enabled.has("ext_issues") ? { external_tracker: external } : {}),
    has_wiki: enabled.has("wiki") || enabled.has("ext_wiki"),
    ...(enabled.has("ext_wiki") ? { external_wiki: { external_wiki_url: externalWikiUrl ?? "" } } : {}),
    wiki_branch: repository.wikiBranch ?? config.defaultBranch,
    globally_editable_wiki: repository.isWikiOpen ?? false,
    has_pull_requests: enabled.has("pulls"),
    has_projects: enabled.has("projects"),
    has_releases: enabled.has("releases"),
    has_packages: enabled.has("packages"),
    has_actions: enabled.has("actions"),
  };
}

function transfer(view: View, { transfer: pending }: RepositoryDetails): RepositoryJson["repo_transfer"] {
  if (pending === undefined) return null;
  const { doer, recipient, teams } = pending;
  return {
    doer: presentUser(view, doer),
    recipient: presentOwner(view, recipient),
    teams: teams.map((team) => presentTeam(view, team)),
  };
}

function mirror(repository: Repository) {
  const settings = mirrorOf(repository);
  const syncedAt = settings?.syncedAt ?? 0;
  return {
    mirror_interval: settings === undefined ? "" : formatInterval(settings.intervalSeconds),
    mirror_updated: syncedAt === 0 ? unsetTimestamp : timestamp(syncedAt),
    enable_prune: settings?.prunes ?? false,
  };
}

function mergeSettings({ merge }: Repository) {
  return {
    ignore_whitespace_conflicts: merge.ignoreWhitespaceConflicts,
    allow_merge_commits: merge.allowMergeCommits,
    allow_rebase: merge.allowRebase,
    allow_rebase_explicit: merge.allowRebaseExplicit,
    allow_squash_merge: merge.allowSquashMerge,
    allow_fast_forward_only_merge: merge.allowFastForwardOnlyMerge,
    allow_rebase_update: merge.allowRebaseUpdate,
    default_delete_branch_after_merge: merge.defaultDeleteBranchAfterMerge,
    default_merge_style: merge.defaultMergeStyle,
    default_update_style: merge.defaultUpdateStyle,
    default_allow_maintainer_edit: merge.defaultAllowMaintainerEdit,
    allow_manual_merge: merge.allowManualMerge ?? false,
    autodetect_manual_merge: merge.autodetectManualMerge ?? false,
  };
}
