import { accountProblem } from "#core/access/account";
import type { Actor } from "#core/actor";
import { gate } from "#core/errors";
import type { Forge } from "#core/forge";
import { findUserByName, noSuchUser } from "#core/user/find";

/** The facts about a request that the gates need. */
export interface Admission {
  readonly actor: Actor | undefined;
  /** The name in `Sudo` or `?sudo=`, if any. */
  readonly sudo: string | undefined;
  /** The operation serves accounts whose password must be changed. */
  readonly isPasswordChange: boolean;
  /** The operation's address is the credential. */
  readonly isByAddress: boolean;
}

/** The user that an administrator asks to act as; the header wins over the query. */
export const sudoOf = (headers: Headers, url: URL): string | undefined =>
  headers.get("sudo")?.trim() || url.searchParams.get("sudo")?.trim() || undefined;

/**
 * Lets a caller through the gates that come before any right (semantics §1.7, 3–5): their account, whether the instance
 * answers anonymous callers, and sudo. Answers the user that the request goes on as; a token's scopes go with it.
 */
export async function admit(
  forge: Forge,
  { actor, sudo, isPasswordChange, isByAddress }: Admission,
): Promise<Actor | undefined> {
  const problem = actor === undefined ? undefined : accountProblem(actor.user, { isPasswordChange });
  if (problem !== undefined) throw problem;
  if (actor === undefined && !isByAddress && forge.config.requireSigninView) {
    throw gate("this instance answers signed-in callers only");
  }
  if (sudo === undefined) return actor;
  if (actor?.user.isAdmin !== true) throw gate("only site administrators may act as somebody else");
  const user = await findUserByName(forge, sudo);
  if (user === undefined) throw noSuchUser(sudo);
  forge.log.info("auth:sudo", { by: actor.user.id, as: user.id });
  return { ...actor, user, sudoBy: actor.user.id };
}
