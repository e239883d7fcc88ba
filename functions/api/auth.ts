import type { Actor, TokenGrant } from "#core/actor";
import { type ForgeError, gate, unauthorized } from "#core/errors";
import type { Forge } from "#core/forge";
import { findGuard, noteUse } from "#core/token/token";
import { verifyPassword } from "#core/user/password";
import * as users from "#core/user/user";
import type { User } from "#core/user/user.table";

/** What a request showed of itself: the headers that may carry credentials, and query tokens. */
export interface Credentials {
  readonly authorization: string | undefined;
  readonly queryToken: string | undefined;
}

/** The sentence that goes out whenever a query token was sent (semantics §2.1). */
export const queryTokenWarning =
  "token and access_token API authentication in the query string is deprecated: use the Authorization header instead";

/** Reads the credentials of a request; query tokens are left out where the setting refuses them. */
export function credentialsOf(request: Request, url: URL, forge: Forge): Credentials {
  const queryToken = url.searchParams.get("token") || url.searchParams.get("access_token") || undefined;
  return {
    authorization: request.headers.get("authorization") ?? undefined,
    queryToken: forge.config.disableQueryAuthToken ? undefined : queryToken,
  };
}

/**
 * Who is calling, or undefined when nothing was shown. Methods are tried in the order of semantics §2.1 and the first
 * that yields a user wins; when something was shown and nothing held, Unauthorized. Account gates (§2.2) are Forbidden.
 */
export async function authenticate(forge: Forge, credentials: Credentials): Promise<Actor | undefined> {
  const attempts = attemptsFor(forge, credentials);
  for (const attempt of attempts) {
    const actor = await attempt();
    if (actor !== undefined) return gated(actor);
  }
  if (attempts.length > 0)
    throw unauthorized("the credentials shown are not valid: check the token, or name and password");
  return undefined;
}

type Attempt = () => Promise<Actor | undefined>;

function attemptsFor(forge: Forge, { authorization, queryToken }: Credentials): Attempt[] {
  const attempts: Attempt[] = [];
  if (queryToken !== undefined) attempts.push(() => byToken(forge, queryToken));
  const [scheme, value, ...rest] = (authorization ?? "").trim().split(/\s+/);
  if (scheme === undefined || value === undefined || rest.length > 0) return attempts;
  if (scheme === "token" || scheme.toLowerCase() === "bearer") attempts.push(() => byToken(forge, value));
  if (scheme.toLowerCase() === "basic") attempts.push(() => byBasic(forge, value));
  return attempts;
}

async function byToken(forge: Forge, text: string): Promise<Actor | undefined> {
  const guard = await findGuard(forge, text);
  if (guard === undefined) return undefined;
  const user = await users.findById(forge, guard.userId);
  if (user === undefined) return undefined;
  const grant: TokenGrant = {
    tokenId: guard.tokenId,
    scopes: guard.scopes,
    isPublicOnly: guard.scopes.includes("public-only"),
  };
  await noteUse(forge, guard);
  return { user, grant };
}

async function byBasic(forge: Forge, encoded: string): Promise<Actor | undefined> {
  const decoded = Buffer.from(encoded, "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  const name = colon < 0 ? decoded : decoded.slice(0, colon);
  const password = colon < 0 ? "" : decoded.slice(colon + 1);
  if (password === "" || password === "x-oauth-basic") return name === "" ? undefined : byToken(forge, name);
  const token = looksLikeToken(password) ? await byToken(forge, password) : undefined;
  if (token !== undefined) return token;
  if (!forge.config.enableBasicAuthentication) return undefined;
  return byPassword(forge, name, password);
}

const looksLikeToken = (text: string): boolean => /^[0-9a-f]{40}$/.test(text);

async function byPassword(forge: Forge, name: string, password: string): Promise<Actor | undefined> {
  const user: User | undefined = await users.findByLogin(forge, name);
  const isRight = await verifyPassword(forge, user?.passwordHash, password);
  return isRight && user !== undefined ? { user } : undefined;
}

function gated(actor: Actor): Actor {
  const { user } = actor;
  const problem = accountProblem(user);
  if (problem !== undefined) throw problem;
  return actor;
}

/** Why an account may do nothing at the moment (semantics §2.2), in the order in which the reasons are told. */
export function accountProblem(user: User): ForgeError | undefined {
  if (!user.isActive) return gate("this account is not active: ask an administrator");
  if (user.isLoginProhibited) return gate("this account is prohibited from logging in: ask an administrator");
  if (user.mustChangePassword) return gate("the password must be changed before the API can be used");
  return undefined;
}
