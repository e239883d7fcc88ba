import { createHash } from "node:crypto";
import type { Actor } from "#core/actor";
import type { Config } from "#core/config";
import { latin1RefName } from "#core/git/refs/ref-name";

/** The needs of presenters beside the thing itself: the settings for links, and the caller. */
export interface View {
  readonly config: Config;
  readonly actor: Actor | undefined;
}

/** The view of a request. */
export const viewOf = (request: { forge: { config: Config }; actor: Actor | undefined }): View => ({
  config: request.forge.config,
  actor: request.actor,
});

/** The years of RFC 3339, in seconds since the epoch. */
const earliestSeconds = Date.parse("0000-01-01T00:00:00Z") / 1000;
const latestSeconds = Date.parse("9999-12-31T23:59:59Z") / 1000;

/** An RFC 3339 time as whole seconds. An offset may lead out of the four-digit years: it then counts as their end. */
export const secondsFrom = (time: string): number =>
  Math.min(Math.max(Math.floor(Date.parse(time) / 1000), earliestSeconds), latestSeconds);

/** Seconds since the epoch as RFC 3339 in UTC. */
export const timestamp = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace(".000Z", "Z");

/** The same for dates that users made up: dates outside the years of calendars count as their ends. */
export const clampedTimestamp = (seconds: number): string =>
  timestamp(Math.min(Math.max(seconds, earliestSeconds), latestSeconds));

/** Like `timestamp`; 0 ("never") is null. */
export const optionalTimestamp = (seconds: number): string | null =>
  seconds === 0 ? null : timestamp(seconds);

/** The family's form of an unset time in fields that are never null (semantics §1.1). */
export const unsetTimestamp = "0001-01-01T00:00:00Z";

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
