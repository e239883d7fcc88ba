import { mergeStyles } from "#core/config/repositories";
import { isValidRefName } from "#core/git/format/check-ref-name";
import { z } from "#zod";
import { dateTime } from "../../http/timestamps.ts";
import { Team } from "../team/schema.ts";
import { User } from "../user/schema.ts";

const Permission = z
  .object({ admin: z.boolean(), push: z.boolean(), pull: z.boolean() })
  .openapi("Permission");

export const InternalTracker = z
  .object({
    enable_time_tracker: z.boolean(),
    allow_only_contributors_to_track_time: z.boolean(),
    enable_issue_dependencies: z.boolean(),
  })
  .openapi("InternalTracker");

export const ExternalTracker = z
  .object({
    external_tracker_url: z.string(),
    external_tracker_format: z.string(),
    external_tracker_style: z.string(),
    external_tracker_regexp_pattern: z.string(),
  })
  .openapi("ExternalTracker");

export const ExternalWiki = z.object({ external_wiki_url: z.string() }).openapi("ExternalWiki");

const RepoTransfer = z.object({ doer: User, recipient: User, teams: z.array(Team) }).openapi("RepoTransfer");

const fields = z.object({
  id: z.int(),
  owner: User,
  name: z.string(),
  full_name: z.string(),
  description: z.string(),
  empty: z.boolean(),
  private: z.boolean(),
  fork: z.boolean(),
  template: z.boolean(),
  mirror: z.boolean(),
  size: z.int().openapi({ description: "of the git data, in KiB" }),
  language: z.string(),
  languages_url: z.string(),
  html_url: z.string(),
  url: z.string(),
  link: z.string(),
  ssh_url: z.string(),
  clone_url: z.string(),
  original_url: z.string(),
  website: z.string(),
  stars_count: z.int(),
  forks_count: z.int(),
  watchers_count: z.int(),
  open_issues_count: z.int(),
  open_pr_counter: z.int(),
  release_counter: z.int(),
  default_branch: z.string(),
  archived: z.boolean(),
  created_at: dateTime,
  updated_at: dateTime,
  archived_at: dateTime,
  permissions: Permission.nullable(),
  has_issues: z.boolean(),
  internal_tracker: InternalTracker.optional(),
  external_tracker: ExternalTracker.optional(),
  has_wiki: z.boolean(),
  external_wiki: ExternalWiki.optional(),
  wiki_branch: z.string(),
  globally_editable_wiki: z.boolean(),
  has_pull_requests: z.boolean(),
  has_projects: z.boolean(),
  has_releases: z.boolean(),
  has_packages: z.boolean(),
  has_actions: z.boolean(),
  ignore_whitespace_conflicts: z.boolean(),
  allow_merge_commits: z.boolean(),
  allow_rebase: z.boolean(),
  allow_rebase_explicit: z.boolean(),
  allow_squash_merge: z.boolean(),
  allow_fast_forward_only_merge: z.boolean(),
  allow_rebase_update: z.boolean(),
  default_delete_branch_after_merge: z.boolean(),
  default_merge_style: z.string(),
  default_update_style: z.string(),
  default_allow_maintainer_edit: z.boolean(),
  allow_manual_merge: z.boolean(),
  autodetect_manual_merge: z.boolean(),
  avatar_url: z.string(),
  internal: z.boolean(),
  mirror_interval: z.string(),
  mirror_updated: dateTime,
  enable_prune: z.boolean().openapi({ description: "of pull mirrors" }),
  object_format_name: z.enum(["sha1", "sha256"]),
  repo_transfer: RepoTransfer.nullable(),
  topics: z.array(z.string()),
});

/** A repository; `parent` is another one, without its own. */
export type RepositoryJson = z.infer<typeof fields> & { parent: RepositoryJson | null };
const parent = z.any().openapi({
  description: "the parent of a fork, when the caller may see it; without a parent of its own",
  anyOf: [{ $ref: "#/components/schemas/Repository" }, { type: "null" }],
}) as z.ZodType<RepositoryJson | null>;
export const Repository = fields.extend({ parent }).openapi("Repository");

export const SearchResults = z
  .object({ ok: z.boolean(), data: z.array(Repository) })
  .openapi("SearchResults");

export const CreateRepoOption = z
  .object({
    name: z.string().min(1).openapi({ maxLength: 100 }),
    description: z.string().optional().openapi({ maxLength: 2048 }),
    private: z.boolean().optional(),
    template: z.boolean().optional(),
    auto_init: z.boolean().optional().openapi({
      description:
        "begin with a commit that holds a README, and the files that `gitignores` and `license` name",
    }),
    default_branch: z.string().optional().openapi({ maxLength: 100 }),
    object_format_name: z
      .string()
      .optional()
      .openapi({ description: "sha1 (default) or sha256", enum: ["sha1", "sha256"] }),
    readme: z.string().optional().openapi({ description: "the README's template: Default" }),
    gitignores: z
      .string()
      .optional()
      .openapi({ description: "names of /gitignore/templates, separated by commas" }),
    license: z.string().optional().openapi({ description: "a key of /licenses" }),
    issue_labels: z.string().optional().openapi({ description: "a name of /label/templates" }),
    trust_model: z.enum(["", "default", "collaborator", "committer", "collaboratorcommitter"]).optional(),
  })
  .openapi("CreateRepoOption");
export type CreateRepoJson = z.infer<typeof CreateRepoOption>;

export const EditRepoOption = z
  .object({
    name: z.string().min(1).optional().openapi({ maxLength: 100 }),
    description: z.string().optional().openapi({ maxLength: 2048 }),
    website: z.string().optional().openapi({ maxLength: 1024 }),
    private: z.boolean().optional(),
    template: z.boolean().optional(),
    archived: z.boolean().optional(),
    default_branch: z.string().optional(),
    has_issues: z.boolean().optional(),
    internal_tracker: InternalTracker.partial().optional(),
    external_tracker: ExternalTracker.partial().optional(),
    has_wiki: z.boolean().optional(),
    external_wiki: ExternalWiki.partial().optional(),
    globally_editable_wiki: z.boolean().optional(),
    wiki_branch: z
      .string()
      .max(100)
      .refine(
        (name) => name === "" || isValidRefName(`refs/heads/${name}`),
        "GitRefName: git allows no such branch name",
      )
      .optional(),
    has_pull_requests: z.boolean().optional(),
    has_projects: z.boolean().optional(),
    has_releases: z.boolean().optional(),
    has_packages: z.boolean().optional(),
    has_actions: z.boolean().optional(),
    ignore_whitespace_conflicts: z.boolean().optional().openapi({
      description: "kept for pages; lines that differ in white space alone conflict all the same",
    }),
    allow_merge_commits: z.boolean().optional(),
    allow_rebase: z.boolean().optional(),
    allow_rebase_explicit: z.boolean().optional(),
    allow_squash_merge: z.boolean().optional(),
    allow_fast_forward_only_merge: z.boolean().optional(),
    allow_rebase_update: z.boolean().optional(),
    allow_manual_merge: z.boolean().optional(),
    autodetect_manual_merge: z.boolean().optional(),
    default_delete_branch_after_merge: z
      .boolean()
      .optional()
      .openapi({ description: "kept for pages; a merge through the API deletes what its own body says" }),
    default_merge_style: z.enum(mergeStyles).optional(),
    default_update_style: z.enum(["merge", "rebase"]).optional(),
    default_allow_maintainer_edit: z.boolean().optional(),
    mirror_interval: z.string().optional(),
    enable_prune: z.boolean().optional(),
  })
  .openapi("EditRepoOption");
export type EditRepoJson = z.infer<typeof EditRepoOption>;

export const TransferRepoOption = z
  .object({
    new_owner: z.string().min(1).openapi({ description: "a user or an organization" }),
    team_ids: z
      .array(z.int())
      .nullish()
      .openapi({ description: "teams of the new owner that are to have the repository" }),
  })
  .openapi("TransferRepoOption");

export const CreateForkOption = z
  .object({
    organization: z.string().optional().openapi({ description: "the owner of the fork; absent: the caller" }),
    name: z.string().optional().openapi({ maxLength: 100, description: "the source's if absent" }),
  })
  .openapi("CreateForkOption");

export const GenerateRepoOption = z
  .object({
    owner: z.string().min(1).openapi({ description: "a user or an organization" }),
    name: z.string().min(1).openapi({ maxLength: 100 }),
    description: z.string().optional().openapi({ maxLength: 2048 }),
    private: z.boolean().optional(),
    default_branch: z.string().optional().openapi({ maxLength: 100 }),
    git_content: z.boolean().optional().openapi({ description: "copy the files of the default branch" }),
    topics: z.boolean().optional(),
    avatar: z.boolean().optional(),
    labels: z.boolean().optional(),
    webhooks: z.boolean().optional().openapi({ description: "for administrators of the template" }),
    git_hooks: z.boolean().optional().openapi({ description: "there are none" }),
    protected_branch: z.boolean().optional().openapi({ description: "for administrators of the template" }),
  })
  .openapi("GenerateRepoOption");
export type GenerateRepoJson = z.infer<typeof GenerateRepoOption>;

export const UpdateRepoAvatarOption = z
  .object({ image: z.string().openapi({ description: "a PNG, JPEG, GIF or WebP picture in base64" }) })
  .openapi("UpdateRepoAvatarOption");
