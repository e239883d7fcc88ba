import { setting } from "./setting.ts";
import { flag, integer, list, listOf, text } from "./shapes.ts";

const fileTypes = text
  .transform((value) => value.replaceAll("|", ",").toLowerCase())
  .pipe(list)
  .superRefine((entries, context) => {
    const isType = (entry: string) => /^(\.[^/*\s]+|[\w.+-]+\/[\w.+*-]+|\*\/\*)$/.test(entry);
    for (const entry of entries) {
      if (!isType(entry)) context.addIssue(`expected endings and media types, not ${entry}`);
    }
  });

const reactionProblem = (name: string): string | undefined =>
  /^[+\-\w]{1,50}$/.test(name) ? undefined : "expected names of letters, digits and + - _, such as heart";

/** Issues: words, reactions, tracked times and attached files. */
export const issueSettings = {
  closeKeywords: setting<string[]>(
    "CLOSE_KEYWORDS",
    list,
    ["close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved"],
    "words before a reference, in small letters, with which a commit or a merge closes an issue",
  ),
  reopenKeywords: setting<string[]>(
    "REOPEN_KEYWORDS",
    list,
    ["reopen", "reopens", "reopened"],
    "words before a reference with which it opens an issue again",
  ),
  reactions: setting<string[]>(
    "REACTIONS",
    listOf(reactionProblem),
    ["+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes"],
    "what users may react with",
  ),
  customEmojis: setting<string[]>(
    "CUSTOM_EMOJIS",
    listOf(reactionProblem),
    [],
    "names of further pictures that pages know, which users may react with as well",
  ),
  allowCrossRepositoryDependencies: setting(
    "ALLOW_CROSS_REPOSITORY_DEPENDENCIES",
    flag,
    true,
    "issues may wait for issues of other repositories",
  ),
  issueLockReasons: setting<string[]>(
    "ISSUE_LOCK_REASONS",
    list,
    ["Too heated", "Off-topic", "Spam", "Resolved"],
    "reasons that a locked conversation may be given",
  ),
  enableTimetracking: setting("ENABLE_TIMETRACKING", flag, true, "let people track time on issues and pulls"),
  defaultEnableTimetracking: setting(
    "DEFAULT_ENABLE_TIMETRACKING",
    flag,
    true,
    "new repositories have time tracking on",
  ),
  defaultTimetrackingForContributors: setting(
    "DEFAULT_ALLOW_ONLY_CONTRIBUTORS_TO_TRACK_TIME",
    flag,
    true,
    "in new repositories only writers, authors and assignees track time",
  ),
  attachmentEnabled: setting(
    "ATTACHMENT_ENABLED",
    flag,
    true,
    "let people attach files to issues, comments and releases",
  ),
  attachmentAllowedTypes: setting<string[]>(
    "ATTACHMENT_ALLOWED_TYPES",
    fileTypes,
    [
      ...[".avif", ".cpuprofile", ".csv", ".dmp", ".docx", ".fodg", ".fodp", ".fods", ".fodt", ".gif", ".gz"],
      ...[".jpeg", ".jpg", ".json", ".jsonc", ".log", ".md", ".mov", ".mp4", ".odf", ".odg", ".odp", ".ods"],
      ...[".odt", ".patch", ".pdf", ".png", ".pptx", ".svg", ".tgz", ".txt", ".webm", ".webp", ".xls"],
      ...[".xlsx", ".zip"],
    ],
    "which: endings such as .txt, media types such as image/*; */* for all",
  ),
  releaseAllowedTypes: setting<string[]>(
    "RELEASE_ALLOWED_TYPES",
    fileTypes,
    [],
    "the same for the assets of releases; nothing: all",
  ),
  attachmentMaxSizeMib: setting("ATTACHMENT_MAX_SIZE", integer(1, 5_000), 2048, "MiB of one, at most"),
  attachmentMaxFiles: setting(
    "ATTACHMENT_MAX_FILES",
    integer(1, 100),
    5,
    "how many pages let people attach at once; the API takes one at a time",
  ),
} as const;
