import type { Actor } from "#core/actor";
import type { Config } from "#core/config";
import { ForgeError } from "#core/errors";
import { formTypes } from "../body/form-body.ts";
import { mediaTypeOf } from "../body/json-body.ts";

/**
 * Types of bodies that a page may have a browser send anywhere without asking first (Fetch standard); "" names no type.
 */
const unaskedTypes = ["", "text/plain", ...formTypes];

/**
 * Refuses requests that a page of another site may have made a browser send by itself, with the password that the
 * browser keeps for this host: a POST of these types needs nobody's leave. Browsers never add a token.
 */
export function requireNoForeignPage(request: Request, actor: Actor | undefined, config: Config): void {
  if (request.method !== "POST" || actor?.grant !== undefined) return;
  if (!unaskedTypes.includes(mediaTypeOf(request)) || !isByForeignPage(request.headers, config)) return;
  const message =
    "this came from a page of another site: it needs an access token, or the header Content-Type: application/json";
  throw new ForgeError("unsupported-media-type", message);
}

function isByForeignPage(headers: Headers, { rootUrl }: Config): boolean {
  return (
    ["navigate", "no-cors"].includes(headers.get("sec-fetch-mode") ?? "") || isFromElsewhere(headers, rootUrl)
  );
}

/** Whether the browser says that a page of another origin made it send a request. Programs say nothing. */
export function isFromElsewhere(headers: Headers, rootUrl: string): boolean {
  // Older browsers, and all of them over plain http, send the second header alone.
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "cross-site" || site === "same-site";
  const origin = headers.get("origin");
  return origin !== null && origin !== new URL(rootUrl).origin;
}
