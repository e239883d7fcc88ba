import { z } from "zod";
import { type UnitKey, unitFrom, unitKeys } from "../access/modes.ts";
import { allowedHostProblem } from "../guarded-client/allowed-hosts.ts";
import { setting } from "./setting.ts";
import { flag, integer, list, listOf, text } from "./shapes.ts";

const refName = text.regex(/^(?!.*(\.\.|@\{|\/\/|[\s~^:?*[\\]))[^/.-].*(?<![/.])$/, "expected a branch name");

/** The ways in which a pull request can be merged, as the family names them. */
export const mergeStyles = ["merge", "rebase", "rebase-merge", "squash", "fast-forward-only"] as const;

/** Keys of known units, without some: `problem` says what is wrong with an excluded one. */
const unitsBut = (excluded: readonly UnitKey[], problem: string) =>
  listOf((key) => {
    if (unitFrom(key) === undefined)
      return `expected units such as repo.issues, not ${key}; known are ${unitKeys.join(", ")}`;
    return excluded.some((one) => one === key) ? `${key} ${problem}` : undefined;
  }).transform((keys) => keys as UnitKey[]);

const firstUnits = unitsBut(
  ["repo.ext_issues", "repo.ext_wiki"],
  "can't be what repositories begin with: each has to say where it is",
);

/** Repositories: the defaults of new ones, and what may be done with them. */
export const repositorySettings = {
  forcePrivate: setting("FORCE_PRIVATE", flag, false, "every new repository is private"),
  maxCreationLimit: setting(
    "MAX_CREATION_LIMIT",
    integer(-1, 1_000_000),
    -1,
    "repositories per owner; -1: no limit",
  ),
  defaultBranch: setting<string>("DEFAULT_BRANCH", refName, "main", "the default branch of new repositories"),
  disabledRepoUnits: setting<UnitKey[]>(
    "DISABLED_REPO_UNITS",
    unitsBut(["repo.code"], "can't be switched off"),
    [],
    "units that no repository has here, whatever it had before, such as repo.wiki,repo.projects",
  ),
  defaultRepoUnits: setting<UnitKey[]>(
    "DEFAULT_REPO_UNITS",
    firstUnits,
    [
      ...(["repo.code", "repo.issues", "repo.pulls", "repo.releases", "repo.wiki"] as const),
      ...(["repo.projects", "repo.packages", "repo.actions"] as const),
    ],
    "units that new repositories have, with repo.code always among them",
  ),
  defaultForkRepoUnits: setting<UnitKey[]>(
    "DEFAULT_FORK_REPO_UNITS",
    firstUnits,
    ["repo.code", "repo.pulls"],
    "units that new forks have, with repo.code always among them",
  ),
  workInProgressPrefixes: setting<string[]>(
    "WORK_IN_PROGRESS_PREFIXES",
    list,
    ["WIP:", "[WIP]"],
    "beginnings of titles, in any case, that make a pull request a draft",
  ),
  retargetChildrenOnMerge: setting(
    "RETARGET_CHILDREN_ON_MERGE",
    flag,
    true,
    "when the branch of a merged pull request is deleted, requests into it get the branch that it went into",
  ),
  defaultMergeStyle: setting<(typeof mergeStyles)[number]>(
    "DEFAULT_MERGE_STYLE",
    z.enum(mergeStyles, `expected one of ${mergeStyles.join(", ")}`),
    "merge",
    "how pull requests of new repositories are merged where nobody says otherwise",
  ),
  defaultCloseIssuesInAnyBranch: setting(
    "DEFAULT_CLOSE_ISSUES_VIA_COMMITS_IN_ANY_BRANCH",
    flag,
    false,
    "in new repositories commits close issues from any branch, not from the default one alone",
  ),
  enableFlags: setting(
    "ENABLE_FLAGS",
    flag,
    false,
    "administrators may mark repositories with flags; else the routes answer 404",
  ),
  enableUserHeatmap: setting(
    "ENABLE_USER_HEATMAP",
    flag,
    true,
    "how much users do is counted by the quarter of an hour; else the route answers 404",
  ),
  disableStars: setting("DISABLE_STARS", flag, false, "repositories can't be starred: the routes answer 404"),
  autoWatchNewRepos: setting("AUTO_WATCH_NEW_REPOS", flag, true, "who makes a repository watches it"),
  autoWatchOnChanges: setting("AUTO_WATCH_ON_CHANGES", flag, false, "who pushes to a repository watches it"),
  disableForks: setting("DISABLE_FORKS", flag, false, "repositories can't be forked: the routes answer 404"),
  mirrorMinIntervalSeconds: setting(
    "MIRROR_MIN_INTERVAL",
    integer(1, 365 * 86_400),
    600,
    "seconds between two syncs of a mirror, at least",
  ),
  mirrorDefaultIntervalSeconds: setting(
    "MIRROR_DEFAULT_INTERVAL",
    integer(1, 365 * 86_400),
    8 * 3_600,
    "seconds between two syncs of a mirror that says nothing else",
  ),
  mirrorWaitSeconds: setting(
    "MIRROR_WAIT",
    integer(0, 22),
    20,
    "seconds that a request waits for a sync, or for a repository to be brought over; it goes on afterwards",
  ),
  mirrorLfsMaxBytes: setting(
    "MIRROR_LFS_MAX_BYTES",
    integer(2 ** 20, 2 ** 50),
    64 * 2 ** 30,
    "bytes of LFS objects that one sync of a mirror, or one repository that is brought over, may bring",
  ),
  disableMirrors: setting("DISABLE_MIRRORS", flag, false, "no mirrors: none is made and none runs"),
  disableNewPullMirrors: setting(
    "DISABLE_NEW_PULL_MIRRORS",
    flag,
    false,
    "no new repositories that follow others; those there are run on",
  ),
  disableNewPushMirrors: setting(
    "DISABLE_NEW_PUSH_MIRRORS",
    flag,
    false,
    "repositories get no new copies elsewhere; those there are run on",
  ),
  disableMigrations: setting(
    "DISABLE_MIGRATIONS",
    flag,
    false,
    "no repositories are brought over from elsewhere",
  ),
  migrationAllowedHostList: setting<string[]>(
    "MIGRATION_ALLOWED_HOST_LIST",
    listOf(allowedHostProblem),
    ["external"],
    "where mirrors and migrations may go: external, private, loopback, *, host names with wildcards, networks",
  ),
  migrationBlockedHostList: setting<string[]>(
    "MIGRATION_BLOCKED_HOST_LIST",
    listOf(allowedHostProblem),
    [],
    "where they may not go, of what is allowed",
  ),
  disableWebhooks: setting(
    "DISABLE_WEBHOOKS",
    flag,
    false,
    "no hooks: their routes answer 403 and nothing is sent",
  ),
  webhookAllowedHostList: setting<string[]>(
    "WEBHOOK_ALLOWED_HOST_LIST",
    listOf(allowedHostProblem),
    ["external"],
    "where hooks may send: external, private, loopback, *, host names with wildcards, networks",
  ),
  deliverTimeoutSeconds: setting(
    "DELIVER_TIMEOUT",
    integer(1, 25),
    5,
    "seconds that a webhook's receiver may take",
  ),
  archiveKeptBytes: setting(
    "ARCHIVE_KEPT_BYTES",
    integer(2 ** 20, 2 ** 50),
    4 * 2 ** 30,
    "bytes of archives that are kept of one repository for a day: the oldest go first; a larger one is refused",
  ),
  skipTlsVerify: setting(
    "SKIP_TLS_VERIFY",
    flag,
    false,
    "accept any certificate from receivers of webhooks, sources and copies of mirrors, and where repositories are brought over from",
  ),
} as const;
