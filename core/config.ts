import { z } from "zod";
import { allowedHostProblem, networkProblem } from "./guarded-client/allowed-hosts.ts";
import { secretKeyProblem } from "./secrets.ts";

/** One setting: the environment variable that gives it, its shape, its default, and one sentence for people. */
export interface Setting<T> {
  readonly variable: string;
  readonly shape: z.ZodType<T>;
  readonly fallback: T;
  readonly about: string;
  readonly isSecret: boolean;
}

function setting<T>(variable: string, shape: z.ZodType<T>, fallback: NoInfer<T>, about: string): Setting<T> {
  return { variable, shape, fallback, about, isSecret: false };
}

function secret(variable: string, shape: z.ZodType<string>, about: string): Setting<string> {
  return { variable, shape, fallback: "", about, isSecret: true };
}

const text = z.string();
const flag = z.stringbool({ truthy: ["true", "1", "yes", "on"], falsy: ["false", "0", "no", "off"] });
const integer = (least: number, most: number) =>
  z
    .string()
    .regex(/^-?\d+$/, `expected a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, `expected a whole number from ${least} to ${most}`);
const list = z.string().transform((value) =>
  value
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ""),
);
const fileTypes = text
  .transform((value) => value.replaceAll("|", ",").toLowerCase())
  .pipe(list)
  .superRefine((entries, context) => {
    const isType = (entry: string) => /^(\.[^/*\s]+|[\w.+-]+\/[\w.+*-]+|\*\/\*)$/.test(entry);
    for (const entry of entries) {
      if (!isType(entry)) context.addIssue(`expected endings and media types, not ${entry}`);
    }
  });
const listOf = (problemOf: (entry: string) => string | undefined) =>
  list.superRefine((entries, context) => {
    for (const entry of entries) {
      const problem = problemOf(entry);
      if (problem !== undefined) context.addIssue(problem);
    }
  });
const sealingKeys = text.superRefine((value, context) => {
  const problem = secretKeyProblem(value);
  if (problem !== undefined) context.addIssue(problem);
});

const reactionProblem = (name: string): string | undefined =>
  /^[+\-\w]{1,50}$/.test(name) ? undefined : "expected names of letters, digits and + - _, such as heart";

/** The shape of a setting that is an http or https URL: without a slash at its end. */
export const httpUrl = (example: string) =>
  z.string().transform((value, context) => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) {
      context.addIssue(`expected a URL that starts with http:// or https://, such as ${example}`);
      return z.NEVER;
    }
    return url.href.replace(/\/+$/, "");
  });
/** Without a password in it, which settings would show. */
const ldapUrl = text.refine(
  (value) => /^ldaps?:$/.test(URL.canParse(value) ? new URL(value).protocol : "") && !value.includes("@"),
  "expected ldap:// or ldaps://, a host and a port",
);
const ldapFilter = text.regex(/^\(.*\)$/s, "expected a filter in parentheses");
const tableName = text.regex(/^[\w.-]{3,255}$/, "expected 3 to 255 letters, digits and . _ -");
const bucketName = text.regex(
  /^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/,
  "expected 3 to 63 small letters, digits, dots and hyphens",
);
const queueUrl = httpUrl("https://sqs.eu-west-1.amazonaws.com/123456789012/webhooks");
const refName = z
  .string()
  .regex(/^(?!.*(\.\.|@\{|\/\/|[\s~^:?*[\\]))[^/.-].*(?<![/.])$/, "expected a branch name");

/** Every setting of the service. Names of variables follow the compatible family's keys. */
export const settings = {
  rootUrl: setting<string>(
    "ROOT_URL",
    httpUrl("https://forge.example.org"),
    "http://127.0.0.1:3000",
    "what links and clone URLs start with",
  ),
  tableName: setting<string>("TABLE_NAME", tableName, "", "the DynamoDB table"),
  bucketName: setting<string>("BUCKET_NAME", bucketName, "", "the S3 bucket"),
  webhooksQueueUrl: setting<string>(
    "WEBHOOKS_QUEUE_URL",
    queueUrl,
    "",
    "the SQS queue of webhook deliveries",
  ),
  mirrorsQueueUrl: setting<string>("MIRRORS_QUEUE_URL", queueUrl, "", "the SQS queue of mirror syncs"),
  repositoryEventsQueueUrl: setting<string>(
    "REPOSITORY_EVENTS_QUEUE_URL",
    queueUrl,
    "",
    "the SQS queue of repository events",
  ),
  secretKey: secret("SECRET_KEY", sealingKeys, "32 bytes in base64; encrypts what must be readable again"),
  originSecret: secret(
    "ORIGIN_SECRET",
    text,
    "shared by the edge and the functions; empty: no edge in front",
  ),
  compatibilityVersion: setting<string>(
    "COMPATIBILITY_VERSION",
    z.string().regex(/^\d+\.\d+\.\d+/, "expected a version such as 12.0.0+gitea-1.22.0"),
    "12.0.0+gitea-1.22.0",
    "the version that /version states; clients switch features on by it (D-VERSION)",
  ),
  maxResponseItems: setting("MAX_RESPONSE_ITEMS", integer(1, 1000), 50, "the largest page of a list"),
  defaultPagingNum: setting("DEFAULT_PAGING_NUM", integer(1, 1000), 30, "the page size when none is asked"),
  commitStatusesForm: setting<"combined" | "list">(
    "COMMIT_STATUSES_FORM",
    z.enum(["combined", "list"]),
    "combined",
    "what commits/{ref}/statuses answers without a query; Renovate needs list (D-STATUSES)",
  ),
  disableQueryAuthToken: setting(
    "DISABLE_QUERY_AUTH_TOKEN",
    flag,
    false,
    "refuse tokens in the query string",
  ),
  enableBasicAuthentication: setting(
    "ENABLE_BASIC_AUTHENTICATION",
    flag,
    true,
    "accept user name and password",
  ),
  maxLoginFailures: setting(
    "MAX_LOGIN_FAILURES",
    integer(1, 1000),
    10,
    "wrong passwords or codes for one account from one address in five minutes; ten times that for all accounts",
  ),
  ldapUrl: setting<string>(
    "LDAP_URL",
    ldapUrl,
    "",
    "the directory whose accounts may log in, such as ldaps://ldap.example.org; empty: none",
  ),
  ldapStartTls: setting("LDAP_START_TLS", flag, false, "encrypt connections to an ldap:// address"),
  ldapSkipTlsVerify: setting(
    "LDAP_SKIP_TLS_VERIFY",
    flag,
    false,
    "accept any certificate from the directory",
  ),
  ldapUserDn: setting<string>(
    "LDAP_USER_DN",
    text,
    "",
    "DN to bind as, with %s for the login, such as uid=%s,ou=people,dc=example,dc=org; empty: search for it",
  ),
  ldapBindDn: setting<string>("LDAP_BIND_DN", text, "", "DN to search as; empty: anonymously"),
  ldapBindPassword: secret("LDAP_BIND_PASSWORD", text, "the password of LDAP_BIND_DN"),
  ldapSearchBase: setting<string>("LDAP_SEARCH_BASE", text, "", "where accounts are searched for"),
  ldapFilter: setting<string>(
    "LDAP_FILTER",
    ldapFilter,
    "(&(objectClass=person)(|(uid=%s)(mail=%s)))",
    "who may log in, with %s for the login; leave out here who is deactivated",
  ),
  ldapAdminFilter: setting<string>(
    "LDAP_ADMIN_FILTER",
    ldapFilter,
    "",
    "which of them are administrators; empty: the directory does not say",
  ),
  ldapAttributeUsername: setting<string>(
    "LDAP_ATTRIBUTE_USERNAME",
    text,
    "uid",
    "attribute of the user name",
  ),
  ldapAttributeEmail: setting<string>("LDAP_ATTRIBUTE_MAIL", text, "mail", "attribute of the e-mail address"),
  ldapAttributeFirstName: setting<string>(
    "LDAP_ATTRIBUTE_FIRST_NAME",
    text,
    "givenName",
    "attribute of the first name",
  ),
  ldapAttributeSurname: setting<string>("LDAP_ATTRIBUTE_SURNAME", text, "sn", "attribute of the surname"),
  ldapAutoRegister: setting("LDAP_AUTO_REGISTER", flag, true, "make an account at the first login"),
  ldapSkipLocalSecondFactor: setting(
    "LDAP_SKIP_LOCAL_2FA",
    flag,
    false,
    "ask accounts of the directory for no second factor here",
  ),
  ldapTimeoutSeconds: setting("LDAP_TIMEOUT", integer(1, 20), 5, "seconds that the directory may take"),
  ldapCacheSeconds: setting(
    "LDAP_CACHE_SECONDS",
    integer(0, 600),
    60,
    "seconds that who came in stays in without the directory being asked again",
  ),
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
  corsEnabled: setting("CORS_ENABLED", flag, false, "let pages of other sites call the API"),
  corsAllowDomain: setting<string[]>(
    "CORS_ALLOW_DOMAIN",
    list,
    ["*"],
    "whose pages may: *, or origins such as https://app.example.org; * stands for a part of a name",
  ),
  corsMethods: setting<string[]>(
    "CORS_METHODS",
    list,
    ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
    "what pages of other sites may do",
  ),
  corsHeaders: setting<string[]>(
    "CORS_HEADERS",
    list,
    [],
    "headers that they may send beside the usual ones",
  ),
  corsMaxAgeSeconds: setting("CORS_MAX_AGE", integer(0, 86_400), 600, "seconds that they may rely on it"),
  corsAllowCredentials: setting(
    "CORS_ALLOW_CREDENTIALS",
    flag,
    false,
    "let them send what the browser keeps; not together with CORS_ALLOW_DOMAIN=*",
  ),
  xFrameOptions: setting<string>(
    "X_FRAME_OPTIONS",
    z.string().regex(/^[\x21-\x7e ]+$/, "expected a header's value such as SAMEORIGIN"),
    "SAMEORIGIN",
    "which pages may show answers in a frame",
  ),
  enableSwagger: setting(
    "ENABLE_SWAGGER",
    flag,
    true,
    "serve the documents that describe the API, and the page of them",
  ),
  requireSigninView: setting("REQUIRE_SIGNIN_VIEW", flag, false, "answer nothing to anonymous callers"),
  exploreRequireSigninView: setting(
    "EXPLORE_REQUIRE_SIGNIN_VIEW",
    flag,
    false,
    "show users and their repositories' lists to signed-in callers only",
  ),
  disableUsersPage: setting("DISABLE_USERS_PAGE", flag, false, "let nobody search for users"),
  minPasswordLength: setting("MIN_PASSWORD_LENGTH", integer(1, 255), 8, "the shortest password"),
  passwordHashCost: setting(
    "PASSWORD_HASH_COST",
    integer(10, 20),
    15,
    "scrypt cost of new password hashes, as a power of two",
  ),
  noReplyAddress: setting<string>(
    "NO_REPLY_ADDRESS",
    text,
    "",
    "domain of hidden e-mail addresses; empty: noreply. and the host of ROOT_URL",
  ),
  emailDomainAllowlist: setting<string[]>(
    "EMAIL_DOMAIN_ALLOWLIST",
    list,
    [],
    "domains whose e-mail addresses accounts may have, *.example.org for all under it; empty: all",
  ),
  emailDomainBlocklist: setting<string[]>(
    "EMAIL_DOMAIN_BLOCKLIST",
    list,
    [],
    "domains whose e-mail addresses they may not have",
  ),
  allowDotsInUsernames: setting("ALLOW_DOTS_IN_USERNAMES", flag, true, "allow dots in user names"),
  forcePrivate: setting("FORCE_PRIVATE", flag, false, "every new repository is private"),
  maxCreationLimit: setting(
    "MAX_CREATION_LIMIT",
    integer(-1, 1_000_000),
    -1,
    "repositories per owner; -1: no limit",
  ),
  defaultBranch: setting<string>("DEFAULT_BRANCH", refName, "main", "the default branch of new repositories"),
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
  enableFlags: setting(
    "ENABLE_FLAGS",
    flag,
    false,
    "administrators may mark repositories with flags; else the routes answer 404",
  ),
  disableStars: setting("DISABLE_STARS", flag, false, "repositories can't be starred: the routes answer 404"),
  autoWatchNewRepos: setting("AUTO_WATCH_NEW_REPOS", flag, true, "who makes a repository watches it"),
  autoWatchOnChanges: setting("AUTO_WATCH_ON_CHANGES", flag, false, "who pushes to a repository watches it"),
  disableForks: setting("DISABLE_FORKS", flag, false, "repositories can't be forked: the routes answer 404"),
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
    "in new repositories none but writers, authors and assignees track time",
  ),
  attachmentEnabled: setting(
    "ATTACHMENT_ENABLED",
    flag,
    true,
    "let people attach files to issues and comments",
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
  attachmentMaxSizeMib: setting("ATTACHMENT_MAX_SIZE", integer(1, 5_000), 2048, "MiB of one, at most"),
  attachmentMaxFiles: setting(
    "ATTACHMENT_MAX_FILES",
    integer(1, 100),
    5,
    "how many pages let people attach at once; the API takes one at a time",
  ),
  mirrorMinIntervalSeconds: setting(
    "MIRROR_MIN_INTERVAL",
    integer(1, 365 * 86_400),
    600,
    "seconds between two syncs of a mirror, at least",
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
  skipTlsVerify: setting("SKIP_TLS_VERIFY", flag, false, "accept any certificate from webhook receivers"),
  gitMaxPackBytes: setting(
    "GIT_MAX_PACK_BYTES",
    integer(2 ** 20, 2 ** 40),
    8 * 2 ** 30,
    "the largest pack that one push may bring",
  ),
  gitMaxObjectBytes: setting(
    "GIT_MAX_OBJECT_BYTES",
    integer(2 ** 20, 2 ** 32 - 1),
    2 * 2 ** 30,
    "the largest file that a push may bring",
  ),
  gitMaxDeltaDepth: setting(
    "GIT_MAX_DELTA_DEPTH",
    integer(50, 100_000),
    4095,
    "the longest chain of deltas in a pushed pack",
  ),
  gitCheckTimeoutSeconds: setting(
    "GIT_CHECK_TIMEOUT",
    integer(10, 86_400),
    900,
    "seconds that the checks of one pushed pack may take",
  ),
  gitMaxPushRefs: setting("GIT_MAX_PUSH_REFS", integer(1, 50_000), 50_000, "refs that one push may name"),
  gitMaxPushes: setting("GIT_MAX_PUSHES", integer(1, 10_000), 50, "pushes that a process takes at a time"),
  gitMaxSpoolBytes: setting(
    "GIT_MAX_SPOOL_BYTES",
    integer(2 ** 20, 2 ** 50),
    32 * 2 ** 30,
    "bytes of packs in temporary files, of all pushes at a time",
  ),
  trustedProxies: setting<string[]>(
    "TRUSTED_PROXIES",
    listOf(networkProblem),
    [],
    "addresses or networks whose X-Forwarded-For is believed",
  ),
  logLevel: setting<"debug" | "info" | "warn" | "error">(
    "LOG_LEVEL",
    z.enum(["debug", "info", "warn", "error"]),
    "info",
    "the least level that is logged",
  ),
} as const satisfies Record<string, Setting<never>> | Record<string, unknown>;

type Settings = typeof settings;
/** The parsed settings, read once at start. */
export type Config = {
  readonly [Name in keyof Settings]: Settings[Name] extends Setting<infer T> ? T : never;
};

/** Says which variable is wrong and what is expected: the start ends with this message. */
export class SettingError extends Error {
  readonly variable: string;
  constructor(variable: string, problem: string) {
    super(`setting ${variable}: ${problem}`);
    this.name = "SettingError";
    this.variable = variable;
  }
}

/** Parses one setting from `environment`; an empty value counts as absent. Throws SettingError. */
export function readSetting<T>(one: Setting<T>, environment: Record<string, string | undefined>): T {
  const given = environment[one.variable];
  if (given === undefined || given === "") return one.fallback;
  const parsed = one.shape.safeParse(given);
  if (parsed.success) return parsed.data;
  const shown = one.isSecret ? "" : `, got ${JSON.stringify(given)}`;
  throw new SettingError(one.variable, `${parsed.error.issues[0]?.message ?? "malformed"}${shown}`);
}

/** Reads every setting from the environment (with linked resources merged in by the entry points). Throws SettingError. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const values = Object.entries(settings).map(([name, one]) => [
    name,
    readSetting(one as Setting<unknown>, environment),
  ]);
  return Object.freeze(Object.fromEntries(values)) as Config;
}

/** A setting that this part can't work without; throws SettingError naming it when it is empty. */
export function required(config: Config, name: keyof Config & string): string {
  const value = config[name];
  if (typeof value === "string" && value !== "") return value;
  throw new SettingError(settings[name].variable, "is not set, and this part of the service needs it");
}
