import { parse, serialize } from "hono/utils/cookie";
import type { Config } from "#core/config";
import { seenPath } from "./local-path.ts";

/**
 * The cookie of a session; the one that tells the browsers of visitors apart who are not signed in; a login at a
 * provider that was begun.
 */
export type CookieName = "session" | "visit" | "provider";

const isSecure = ({ rootUrl }: Config): boolean => rootUrl.startsWith("https:");

/**
 * Over https no page of a subdomain, nor anybody on the network, can set a cookie of this prefix: so nobody can give a
 * browser a session of theirs (RFC 6265bis, 4.1.3.2).
 */
function nameOf(name: CookieName, config: Config): string {
  // That prefix asks for the path `/`: services under several paths of one host would see each other's.
  const place = seenPath(config, "").replaceAll(/[^\w-]/g, "_");
  return `${isSecure(config) ? "__Host-" : ""}coldforge_${name}${place}`;
}

export function readCookie(headers: Headers, name: CookieName, config: Config): string | undefined {
  const cookieName = nameOf(name, config);
  return parse(headers.get("cookie") ?? "", cookieName)[cookieName];
}

/**
 * The `Set-Cookie` of a value that no script reads and no other site's forms or pictures send along. It goes with the
 * browser's session unless it has an age in seconds.
 */
export function cookieHeader(name: CookieName, value: string, config: Config, maxAge?: number): string {
  const age = maxAge === undefined ? {} : { maxAge };
  const manners = { httpOnly: true, secure: isSecure(config), sameSite: "Lax", path: "/" } as const;
  return serialize(nameOf(name, config), value, { ...manners, ...age });
}

/** The `Set-Cookie` that makes a browser forget a cookie. */
export const endedCookieHeader = (name: CookieName, config: Config): string =>
  cookieHeader(name, "", config, 0);
