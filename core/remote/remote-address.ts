import type { RemoteCredentials } from "../git/client/transport.ts";

/** Where a repository elsewhere is, and how to log in there. */
export interface GivenRemote {
  /** http or https, without credentials. */
  readonly url: string;
  readonly credentials?: RemoteCredentials;
}

/** The credentials that a form gives beside the address. */
export interface GivenCredentials {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly token?: string | undefined;
}

const mostUrlCharacters = 2_048;

/**
 * Reads the address of a repository elsewhere as people write it, credentials in it included; those given beside it win.
 * A text says what is wrong with it. What lies behind the address is checked with each request (semantics §66).
 */
export function readRemoteAddress(address: string, given: GivenCredentials = {}): GivenRemote | string {
  const text = address.trim();
  if (text.length > mostUrlCharacters) return `an address has at most ${mostUrlCharacters} characters`;
  // URL would drop line breaks and tabs without a word.
  if (/[\p{Cc}\s]/u.test(text)) return "an address has no spaces and no control characters";
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    return "expected an address that begins with https:// or http://; other protocols and paths are not served here";
  }
  if (url.search !== "" || url.hash !== "") return "expected an address without a query or fragment";
  const credentials = credentialsOf(url, given);
  url.username = "";
  url.password = "";
  const href = url.href.replace(/\/+$/, "");
  return credentials === undefined ? { url: href } : { url: href, credentials };
}

function credentialsOf(url: URL, given: GivenCredentials): RemoteCredentials | undefined {
  const { username = "", password = "", token = "" } = given;
  if (token !== "") return { token };
  if (username !== "" || password !== "") return { username, password };
  if (url.username === "" && url.password === "") return undefined;
  return { username: decoded(url.username), password: decoded(url.password) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The address of a repository's wiki beside it, as the family has it. */
export const wikiUrlOf = (url: string): string => `${url.replace(/\.git$/, "")}.wiki.git`;
