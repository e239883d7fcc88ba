import type { Actor, TokenGrant } from "#core/actor";
import { type ForgeError, gate, unauthorized } from "#core/errors";
import type { Forge } from "#core/forge";
import { findHolder, noteUse } from "#core/token/token";
import type { TokenGuard } from "#core/token/token.table";
import { logIn } from "#core/user/login";
import type { User } from "#core/user/user.table";

/** What a request showed of itself: whatever may carry credentials, and where it came from. */
export interface Credentials {
  readonly authorization: string | undefined;
  readonly queryToken: string | undefined;
  /** The one-time code of a second factor (D-OTP). */
  readonly code: string | undefined;
  readonly address: string;
}

/** Who is calling, and the token that said so. */
export interface Caller {
  readonly actor: Actor | undefined;
  readonly token?: TokenGuard;
}

/** The sentence that goes out whenever a query token was sent (semantics §2.1). */
export const queryTokenWarning =
  "token and access_token API authentication in the query string is deprecated: use the Authorization header instead";

/** Names of the header with a one-time code; the first that is sent wins (D-OTP). */
export const codeHeaders = ["x-forgejo-otp", "x-gitea-otp", "x-service-otp"] as const;

/** Reads the credentials in a request's headers. */
export const credentialsIn = (headers: Headers, address: string): Credentials => ({
  authorization: headers.get("authorization") ?? undefined,
  queryToken: undefined,
  code: codeHeaders.map((name) => headers.get(name)?.trim()).find((code) => code),
  address,
});

/** As `credentialsIn`, with the token of the query, unless the setting refuses those. */
export function credentialsOf(request: Request, url: URL, forge: Forge, address: string): Credentials {
  const queryToken = url.searchParams.get("token") || url.searchParams.get("access_token") || undefined;
  return {
    ...credentialsIn(request.headers, address),
    queryToken: forge.config.disableQueryAuthToken ? undefined : queryToken,
  };
}

/** Nothing was shown that counts: the caller is anonymous as far as this method goes. */
const nothing = "nothing";
/** Shown, and not valid; the text says what to do about it. */
interface Failure {
  readonly problem: string;
}
type Attempt = () => Promise<Caller | Failure | typeof nothing>;

const notValid: Failure = {
  problem: "the credentials shown are not valid: check the token, or name and password",
};

/**
 * Who is calling; nobody when nothing was shown. Methods are tried in the order of semantics §2.1 and the first that
 * yields a user wins; when something was shown and nothing held, Unauthorized. RateLimited after too many failures.
 */
export async function authenticate(forge: Forge, credentials: Credentials): Promise<Caller> {
  let failure: Failure | undefined;
  for (const attempt of attemptsFor(forge, credentials)) {
    const outcome = await attempt();
    if (outcome === nothing) continue;
    if ("actor" in outcome) return outcome;
    failure = outcome;
  }
  if (failure !== undefined) throw unauthorized(failure.problem);
  return { actor: undefined };
}

function attemptsFor(forge: Forge, credentials: Credentials): Attempt[] {
  const { authorization, queryToken } = credentials;
  const attempts: Attempt[] = [];
  if (queryToken !== undefined) attempts.push(() => byToken(forge, queryToken));
  const [scheme, value, ...rest] = (authorization ?? "").trim().split(/\s+/);
  if (scheme === undefined || value === undefined || rest.length > 0) return attempts;
  if (scheme === "token" || scheme.toLowerCase() === "bearer") attempts.push(() => byToken(forge, value));
  if (scheme.toLowerCase() === "basic") attempts.push(() => byBasic(forge, value, credentials));
  return attempts;
}

async function byToken(forge: Forge, text: string): Promise<Caller | Failure> {
  const holder = await findHolder(forge, text);
  if (holder === undefined) return notValid;
  const { guard, user } = holder;
  const isPublicOnly = guard.scopes.includes("public-only");
  const grant: TokenGrant = { tokenId: guard.tokenId, scopes: guard.scopes, isPublicOnly };
  return { actor: { user, grant }, token: guard };
}

async function byBasic(
  forge: Forge,
  encoded: string,
  credentials: Credentials,
): Promise<Caller | Failure | typeof nothing> {
  const decoded = Buffer.from(encoded, "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  const name = colon < 0 ? decoded : decoded.slice(0, colon);
  const password = colon < 0 ? "" : decoded.slice(colon + 1);
  if (password === "" || password === "x-oauth-basic") return name === "" ? notValid : byToken(forge, name);
  const byItsToken = looksLikeToken(password) ? await byToken(forge, password) : notValid;
  if ("actor" in byItsToken) return byItsToken;
  if (!forge.config.enableBasicAuthentication) return nothing;
  return byPassword(forge, name, password, credentials);
}

const looksLikeToken = (text: string): boolean => /^[0-9a-f]{40}$/.test(text);

async function byPassword(
  forge: Forge,
  login: string,
  password: string,
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
    default:
      return notValid;
  }
}

/** Notes the use of the token, if one was used: after the answer was made (D-TOKEN-USE). Never fails it. */
export async function noteTokenUse(forge: Forge, { token }: Caller): Promise<void> {
  if (token === undefined) return;
  await noteUse(forge, token).catch((error: unknown) => forge.log.warn("token:use-not-noted", { error }));
}

/** Why an account may do nothing at the moment (semantics §2.2), in the order in which the reasons are told. */
export function accountProblem(
  user: User,
  { isPasswordChange = false }: { isPasswordChange?: boolean } = {},
): ForgeError | undefined {
  if (!user.isActive) return gate("this account is not active: ask an administrator");
  if (user.isLoginProhibited) return gate("this account is prohibited from logging in: ask an administrator");
  if (user.mustChangePassword && !isPasswordChange) {
    return gate(
      "the password must be changed first: PUT /api/v1/user/password with name and password, or ask an administrator",
    );
  }
  return undefined;
}
