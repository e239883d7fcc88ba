import { setting } from "./setting.ts";
import { flag, integer, list, text } from "./shapes.ts";

/** Accounts: who may log in and how, and who sees whom. */
export const accountSettings = {
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
  sessionIdleSeconds: setting(
    "SESSION_LIFE_TIME",
    integer(60, 31_536_000),
    604_800,
    "seconds after which a session in a browser that nobody uses is over",
  ),
  sessionDays: setting(
    "LOGIN_REMEMBER_DAYS",
    integer(1, 365),
    31,
    "days after which somebody has to sign in anew, however much they use their session",
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
  renamedNameProtectionDays: setting(
    "RENAMED_NAME_PROTECTION",
    integer(0, 3650),
    30,
    "days for which the name of a renamed user or organization stays with its former owner; administrators may give it away",
  ),
  allowDotsInUsernames: setting("ALLOW_DOTS_IN_USERNAMES", flag, true, "allow dots in user names"),
} as const;
