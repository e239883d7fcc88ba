import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import type { Forge } from "../forge.ts";
import type { Identity } from "../git/format/identity.ts";
import { commitEmail } from "../user/email.ts";

/** A person as a request names them. A person without an address counts as not given. */
export interface GivenPerson {
  readonly name: string;
  readonly email: string;
}

/** A moment with the zone in which it is to be shown, such as `+0130`. */
export interface ZonedTime {
  readonly seconds: number;
  readonly timezone: string;
}

/** The people and dates of a commit, as far as a request gives them. */
export interface GivenAuthorship {
  readonly author?: GivenPerson;
  readonly committer?: GivenPerson;
  readonly authoredAt?: ZonedTime;
  readonly committedAt?: ZonedTime;
}

/** Author and committer (semantics §36.4). One alone counts for both; none means the actor; no date means now. */
export function authorshipOf(
  forge: Forge,
  { user }: Actor,
  given: GivenAuthorship,
): { author: Identity; committer: Identity } {
  const self = { name: user.fullName || user.name, email: commitEmail(forge.config, user) };
  const person = (one: GivenPerson | undefined) =>
    one === undefined || one.email === "" ? undefined : { name: one.name || self.name, email: one.email };
  const [author, committer] = [person(given.author), person(given.committer)];
  const now = { seconds: nowSeconds(forge.clock), timezone: "+0000" };
  return {
    author: { ...(author ?? committer ?? self), ...(given.authoredAt ?? now) },
    committer: { ...(committer ?? author ?? self), ...(given.committedAt ?? now) },
  };
}

/** The message with a `Signed-off-by` trailer of its own paragraph. */
export const signedOff = (message: string, { name, email }: Pick<Identity, "name" | "email">): string =>
  `${message.trimEnd()}\n\nSigned-off-by: ${name} <${email}>\n`;
