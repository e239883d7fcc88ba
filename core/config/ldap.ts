import { secret, setting } from "./setting.ts";
import { flag, integer, text } from "./shapes.ts";

/** Without a password in it, which settings would show. */
const ldapUrl = text.refine(
  (value) => /^ldaps?:$/.test(URL.canParse(value) ? new URL(value).protocol : "") && !value.includes("@"),
  "expected ldap:// or ldaps://, a host and a port",
);

const ldapFilter = text.regex(/^\(.*\)$/s, "expected a filter in parentheses");

/** A directory whose accounts may log in. */
export const ldapSettings = {
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
} as const;
