import { createHash } from "node:crypto";
import type { Config } from "#core/config";
import { latin1RefName } from "#core/git/refs/ref-name";

/** A path under `ROOT_URL` with every segment encoded. */
export const linkTo = (config: Config, ...segments: (string | number)[]): string =>
  [config.rootUrl, ...segments.map((segment) => encodedSegment(String(segment)))].join("/");

/** Encodes a ref's name that is no UTF-8 (`encodeRefName`) by its bytes; `encodeURIComponent` would throw. */
function encodedSegment(segment: string): string {
  if (!/\p{Surrogate}/u.test(segment)) return encodeURIComponent(segment);
  const hexOf = (byte: string) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  return latin1RefName(segment).replace(/[^\w.!~*'()-]/g, hexOf);
}

/**
 * The address of an owner's picture. Without a picture of their own, it is named by a hash of their name, with 32
 * digits like the family's: a hash of the e-mail address would reveal a hidden address to somebody who guesses it.
 */
export const avatarLink = (
  config: Config,
  { avatar, name }: { readonly avatar?: string | undefined; readonly name: string },
): string =>
  linkTo(
    config,
    "avatars",
    avatar ?? createHash("sha256").update(name.toLowerCase()).digest("hex").slice(0, 32),
  );

/** A path under the API's base with every segment encoded. */
export const apiLinkTo = (config: Config, ...segments: (string | number)[]): string =>
  linkTo(config, "api", "v1", ...segments);
