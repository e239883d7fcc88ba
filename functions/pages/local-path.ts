import type { Config } from "#core/config";

/** As long as addresses may be at the edge: programs that people let act for them put much into theirs. */
const longestPath = 8_192;
const anyOrigin = "https://forge.invalid";

/**
 * The path of this service that a text names, as a browser would read it, with its query; undefined for everything that
 * leads, or could be read to lead, anywhere else.
 */
export function localPath(text: string | null | undefined): string | undefined {
  if (text === null || text === undefined || text.length > longestPath) return undefined;
  if (!/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(text) || !URL.canParse(text, anyOrigin)) return undefined;
  const { origin, pathname, search } = new URL(text, anyOrigin);
  // `/..//host` becomes `//host`, which is no path any more.
  return origin === anyOrigin && !pathname.startsWith("//") ? pathname + search : undefined;
}

/**
 * A path of this service as browsers have to write it. ROOT_URL may have a path: the proxy in front takes it off what it
 * hands on, so it stands in what goes out alone.
 */
export const seenPath = ({ rootUrl }: Pick<Config, "rootUrl">, path: string): string =>
  new URL(rootUrl).pathname.replace(/\/$/, "") + path;
