import { keysAhead, nextKeysAhead } from "#core/access/repository-access";
import type { Actor, TokenGrant } from "#core/actor";
import type { Config } from "#core/config";
import { defined } from "#core/defined";
import { unauthorized } from "#core/errors";
import type { Forge } from "#core/forge";
import { lazy } from "#core/lazy";
import { ownerKey } from "#core/owner/owner.table";
import { findTaskActor } from "#core/runner/task-actor";
import { forgeWith, type ReadAhead, readAhead } from "#core/table/read-ahead";
import { keyText, type TableKey } from "#core/table/write";
import { findTokenHolder, tokenHolderKeys } from "#core/token/holder";
import { noteUse } from "#core/token/token";
import type { TokenGuard } from "#core/token/token.table";
import { noteUserActivity } from "#core/usage/activity";
import { logIn, loginKey, userIdIn } from "#core/user/login";
import { failuresKey } from "#core/user/login-failures";

/** The credentials of a request: everything that may carry some, and its address. */
export interface Credentials {
  readonly authorization: string | undefined;
  readonly queryToken: string | undefined;
  /** The one-time code of a second factor (D-OTP). */
  readonly code: string | undefined;
  readonly address: string;
}

/** The caller, and the token that identified them. */
export interface Caller {
  readonly actor: Actor | undefined;
  readonly token?: TokenGuard;
}

/** The warning for every request with a query token (semantics §2.1). */
export const queryTokenWarning =
  "token and access_token API authentication in the query string is deprecated: use the Authorization header instead";

/** Whether a token came in the query. */
export const hasQueryToken = ({ searchParams }: URL): boolean =>
  Boolean(searchParams.get("token") || searchParams.get("access_token"));

/** Names of the header with a one-time code; the first one sent wins (D-OTP). */
const codeHeaders = ["x-forgejo-otp", "x-gitea-otp", "x-service-otp"] as const;

/** Reads the credentials in a request's headers. */
export const credentialsIn = (headers: Headers, address: string): Credentials => ({
  authorization: headers.get("authorization") ?? undefined,
  queryToken: undefined,
  code: codeHeaders.map((name) => headers.get(name)?.trim()).find((code) => code),
  address,
});

/** Like `credentialsIn`, with the token of the query, unless the setting refuses those. */
export function credentialsOf(request: Request, url: URL, forge: Forge, address: string): Credentials {
  const queryToken = url.searchParams.get("token") || url.searchParams.get("access_token") || undefined;
  return {
    ...credentialsIn(request.headers, address),
    queryToken: forge.config.disableQueryAuthToken ? undefined : queryToken,
  };
}

/** One credential. A guess is a password that may be a token: when it is none, the password is tried. */
type Shown =
  | { readonly kind: "token"; readonly text: string; readonly isGuess?: true }
  | { readonly kind: "password"; readonly login: string; readonly password: string }
  | { readonly kind: "unreadable" };

/** Why a credential does not count; the text says what to do about it. */
interface Failure {
  readonly problem: string;
}

const notValid: Failure = {
  problem: "the credentials shown are not valid: check the token, or name and password",
};

/**
 * The caller; nobody when there are no credentials. Methods are tried in the order of semantics §2.1 and the first that
 * yields a user wins; Unauthorized when there were credentials and none was valid. RateLimited after too many failures.
 */
export async function authenticate(forge: Forge, credentials: Credentials): Promise<Caller> {
  let failure: Failure | undefined;
  for (const shown of shownIn(forge, credentials)) {
    const outcome = await callerBy(forge, shown, credentials);
    if ("actor" in outcome) return outcome;
    if (shown.kind !== "token" || shown.isGuess !== true) failure = outcome;
  }
  if (failure !== undefined) throw unauthorized(failure.problem);
  return { actor: undefined };
}

async function callerBy(forge: Forge, shown: Shown, credentials: Credentials): Promise<Caller | Failure> {
  if (shown.kind === "token") return byToken(forge, shown.text);
  return shown.kind === "password" ? byPassword(forge, shown, credentials) : notValid;
}

/** Whether a request has no credentials at all. */
export const showsNothing = (forge: Forge, credentials: Credentials): boolean =>
  shownIn(forge, credentials).length === 0;

/** The credentials of a request, in the order in which they are tried (semantics §2.1). */
function shownIn({ config }: Forge, { authorization, queryToken }: Credentials): Shown[] {
  const shown: Shown[] = queryToken === undefined ? [] : [{ kind: "token", text: queryToken }];
  const [scheme, value, ...rest] = (authorization ?? "").trim().split(/\s+/);
  if (scheme === undefined || value === undefined || rest.length > 0) return shown;
  const word = scheme.toLowerCase();
  if (scheme === "token" || word === "bearer") return [...shown, { kind: "token", text: value }];
  return word === "basic" ? [...shown, ...basicIn(config, value)] : shown;
}

/** Whether a token is one of a program's, which are signed: their code is loaded with the first one (semantics §68.2). */
const isSigned = (text: string): boolean => /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(text);
const ofPrograms = lazy(() => import("#core/oauth2-grant/caller"));

function basicIn({ enableBasicAuthentication }: Config, encoded: string): Shown[] {
  const decoded = Buffer.from(encoded, "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  const login = colon < 0 ? decoded : decoded.slice(0, colon);
  const password = colon < 0 ? "" : decoded.slice(colon + 1);
  if (password === "" || password === "x-oauth-basic") {
    return [login === "" ? { kind: "unreadable" } : { kind: "token", text: login }];
  }
  const isTokenLike = /^[0-9a-f]{40}$/.test(password) || isSigned(password);
  return [
    ...(isTokenLike ? [{ kind: "token", text: password, isGuess: true } as const] : []),
    ...(enableBasicAuthentication ? [{ kind: "password", login, password } as const] : []),
  ];
}

/** A repository by its names, and the keys that a request reads of it once it knows its id. */
export interface NamedRepository {
  readonly owner: string;
  readonly repo: string;
  readonly keys?: (repositoryId: number) => readonly TableKey[];
}

/** The items read with a caller, and the forge that answers from them: for the rights alone. */
export interface CallerAhead {
  readonly forge: Forge;
  readonly read: ReadAhead;
}

const none = () => [];

/**
 * Reads the items that identify the caller together with those that say what they may do on a repository, if the
 * request names one: in one round trip when this process knows the ids behind the names, else in two of the usual
 * three. Only ids are known beforehand; their meaning is read here, and every check uses it as ever.
 */
export async function readCallerAhead(
  forge: Forge,
  credentials: Credentials,
  named: NamedRepository | undefined,
): Promise<CallerAhead> {
  const [shown] = shownIn(forge, credentials);
  const { keys, guardKey, knownUserId } = await callerKeys(forge, shown, credentials.address);
  const onRepository = (userId: number | undefined) => {
    const actor = userId === undefined ? undefined : ({ user: { id: userId, isAdmin: false } } as Actor);
    return named === undefined ? [] : keysAhead(forge, actor, named.owner, named.repo, named.keys ?? none);
  };
  const user = knownUserId === undefined ? [] : [ownerKey(knownUserId)];
  const first = await readAhead(forge.table, [...keys, ...user, ...onRepository(knownUserId)]);
  const isAllRead = guardKey === undefined || knownUserId !== undefined;
  if (isAllRead) return { forge: forgeWith(forge, first), read: first };
  const userId = userIdIn(first.items.get(keyText(guardKey)));
  const actor = { user: { id: userId, isAdmin: false } } as Actor;
  const next = named === undefined ? [] : nextKeysAhead(actor, named.owner, named.repo, first.items);
  const read = await readAhead(forge.table, [ownerKey(userId), ...next], first);
  return { forge: forgeWith(forge, read), read };
}

interface CallerKeys {
  readonly keys: readonly TableKey[];
  /** The one that says who it is. */
  readonly guardKey: TableKey | undefined;
  readonly knownUserId: number | undefined;
}

async function callerKeys(forge: Forge, shown: Shown | undefined, address: string): Promise<CallerKeys> {
  if (shown?.kind === "token" && isSigned(shown.text)) {
    const found = await (await ofPrograms()).oauth2HolderKeys(forge, shown.text);
    return { keys: found?.keys ?? [], guardKey: undefined, knownUserId: found?.userId };
  }
  if (shown?.kind === "token") {
    const { guardKey, others, knownUserId } = tokenHolderKeys(shown.text);
    return { keys: [guardKey, ...others], guardKey, knownUserId };
  }
  if (shown?.kind !== "password") return { keys: [], guardKey: undefined, knownUserId: undefined };
  const { login } = shown;
  const { key, knownUserId } = loginKey(forge, login);
  return { keys: [key, failuresKey(forge, { login, address })], guardKey: key, knownUserId };
}

async function byToken(forge: Forge, text: string): Promise<Caller | Failure> {
  if (isSigned(text)) {
    const actor = await (await ofPrograms()).findOAuth2Actor(forge, text);
    return actor === undefined ? notValid : { actor };
  }
  const holder = await findTokenHolder(forge, text);
  if (holder === undefined) {
    const actor = await findTaskActor(forge, text);
    return actor === undefined ? notValid : { actor };
  }
  const { guard, user } = holder;
  const isPublicOnly = guard.scopes.includes("public-only");
  const { tokenId, scopes, expiresAt } = guard;
  const grant: TokenGrant = {
    tokenId,
    holderId: user.id,
    isMinted: guard.mintedBy !== undefined,
    scopes,
    isPublicOnly,
    ...defined({ expiresAt }),
  };
  return { actor: { user, grant }, token: guard };
}

async function byPassword(
  forge: Forge,
  { login, password }: { readonly login: string; readonly password: string },
  { code, address }: Credentials,
): Promise<Caller | Failure> {
  const outcome = await logIn(forge, { login, password, code, address });
  switch (outcome.kind) {
    case "in":
      return { actor: { user: outcome.user } };
    case "code-needed":
      return {
        problem:
          "this account has a second factor: send its code in the header X-Forgejo-OTP, or use an access token instead of the password",
      };
    case "wrong-code":
      return {
        problem: "the code of the second factor is not valid, or was used already: take the next one",
      };
    case "no-account":
      return { problem: outcome.problem };
    default:
      return notValid;
  }
}

/**
 * Records the use of the token, if one was used, and of the account: after the answer was made (D-TOKEN-USE). Never
 * fails it.
 */
export async function noteCaller(forge: Forge, { actor, token }: Caller): Promise<void> {
  const work = [
    ...(token === undefined ? [] : [noteUse(forge, token)]),
    ...(actor === undefined || actor.task !== undefined ? [] : [noteUserActivity(forge, actor.user)]),
  ];
  await Promise.all(work).catch((error: unknown) => forge.log.warn("caller:use-not-noted", { error }));
}
