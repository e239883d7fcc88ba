import { isIP } from "node:net";
import type { Config } from "../../config.ts";

/** The directory whose accounts may log in, from the settings. */
export interface DirectorySettings {
  readonly url: URL;
  readonly isStartTls: boolean;
  readonly isCertificateChecked: boolean;
  /** A DN with `%s` for the login; empty: entries are searched for. */
  readonly userDn: string;
  readonly bindDn: string;
  readonly bindPassword: string;
  readonly searchBase: string;
  /** Both with `%s` for the login; an empty one for administrators: the directory does not say who is one. */
  readonly filter: string;
  readonly adminFilter: string;
  readonly attributes: {
    readonly name: string;
    readonly email: string;
    readonly firstName: string;
    readonly surname: string;
  };
  readonly timeoutMs: number;
}

/** Undefined when no directory is set. */
export function directorySettings(config: Config): DirectorySettings | undefined {
  if (config.ldapUrl === "") return undefined;
  return {
    url: new URL(config.ldapUrl),
    isStartTls: config.ldapStartTls,
    isCertificateChecked: !config.ldapSkipTlsVerify,
    userDn: config.ldapUserDn,
    bindDn: config.ldapBindDn,
    bindPassword: config.ldapBindPassword,
    searchBase: config.ldapSearchBase,
    filter: config.ldapFilter,
    adminFilter: config.ldapAdminFilter,
    attributes: {
      name: config.ldapAttributeUsername,
      email: config.ldapAttributeEmail,
      firstName: config.ldapAttributeFirstName,
      surname: config.ldapAttributeSurname,
    },
    timeoutMs: config.ldapTimeoutSeconds * 1_000,
  };
}

/**
 * Why a directory can't be used with these settings, or undefined when it can: reported at each login, and in the log.
 */
export function settingsProblem(settings: DirectorySettings): string | undefined {
  const { url, isStartTls, userDn, searchBase, filter } = settings;
  const isPlain = url.protocol === "ldap:" && !isStartTls && !isLoopback(url.hostname);
  if (isPlain)
    return "LDAP_URL is not encrypted: passwords would cross the network. Use ldaps:// or LDAP_START_TLS";
  if (userDn === "" && searchBase === "") return "neither LDAP_USER_DN nor LDAP_SEARCH_BASE is set";
  if (userDn !== "" && !userDn.includes("%s")) return "LDAP_USER_DN has no %s, where the login goes";
  return filter.includes("%s") || userDn !== "" ? undefined : "LDAP_FILTER has no %s, where the login goes";
}

function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(host) === 4) return host.startsWith("127.");
  return host === "::1" || host === "localhost";
}
