import type { ClientAuth, Configuration, CustomFetch } from "openid-client";
import type { OpenIdSource } from "../config/openid.ts";
import type { Config } from "../config.ts";
import { defined } from "../defined.ts";
import { forbidden, unavailable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { parseAllowedHosts } from "../guarded-client/allowed-hosts.ts";
import { createGuardedClient } from "../guarded-client/guarded-client.ts";
import { lazy, lazyFor } from "../lazy.ts";

/** The first login loads the library: most instances have no such source. */
const library = lazy(() => import("openid-client"));
type OpenIdLibrary = Awaited<ReturnType<typeof library>>;

const mostAnswerBytes = 256 * 1024;
const keptMs = 3_600_000;
const toleratedSeconds = 30;
/** OpenID Connect Core, 2. */
const longestSubject = 255;

/** The values that the answer to one login must match. Only the browser that began the login keeps them. */
export interface LoginChecks {
  readonly state: string;
  readonly nonce: string;
  /** PKCE's verifier: proves to the provider who began the login (RFC 7636). */
  readonly verifier: string;
}

/** Whom a provider says it has let in. `subject` never changes and is never given to another; all else may. */
export interface ProvidedIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** Empty when the provider names none. */
  readonly name: string;
  readonly fullName: string;
  /** Empty unless the provider has verified it. */
  readonly email: string;
}

export const findOpenIdSource = ({ openIdSources }: Config, name: string): OpenIdSource | undefined =>
  openIdSources.find((source) => source.name.toLowerCase() === name.toLowerCase());

/** Begins a login: where the browser goes, and what its answer is checked by. Unavailable when the provider isn't. */
export async function beginProviderLogin(
  forge: Forge,
  source: OpenIdSource,
  returnTo: string,
  isAnew = false,
): Promise<{ readonly url: string; readonly checks: LoginChecks }> {
  const openid = await library();
  const provider = await providerOf(forge, source);
  const checks: LoginChecks = {
    state: openid.randomState(),
    nonce: openid.randomNonce(),
    verifier: openid.randomPKCECodeVerifier(),
  };
  const url = openid.buildAuthorizationUrl(provider, {
    redirect_uri: returnTo,
    scope: [...new Set(["openid", ...source.scopes])].join(" "),
    state: checks.state,
    nonce: checks.nonce,
    code_challenge: await openid.calculatePKCECodeChallenge(checks.verifier),
    code_challenge_method: "S256",
    ...(isAnew ? { prompt: "login" } : {}),
  });
  if (!/^https?:$/.test(url.protocol)) throw silent(source, "its page to sign in has no web address");
  return { url: url.href, checks };
}

/**
 * Ends a login by the address that the browser came back to. Forbidden when the answer is a refusal, another login's or
 * another issuer's, or its token is not signed by a key of the provider's; Unavailable when the provider is.
 */
export async function endProviderLogin(
  forge: Forge,
  source: OpenIdSource,
  cameBackTo: URL,
  { state, nonce, verifier }: LoginChecks,
): Promise<ProvidedIdentity> {
  const openid = await library();
  const provider = await providerOf(forge, source);
  try {
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
    const tokens = await openid.authorizationCodeGrant(provider, cameBackTo, checks);
    const claims = tokens.claims();
    if (claims === undefined) throw new Error("there is no ID token");
    if (claims.sub.length > longestSubject) throw new Error("the subject is too long");
    const isWhole = claims.email !== undefined && claims[source.username_claim] !== undefined;
    const hasMore = provider.serverMetadata().userinfo_endpoint !== undefined;
    const more: Readonly<Record<string, unknown>> =
      isWhole || !hasMore ? {} : await openid.fetchUserInfo(provider, tokens.access_token, claims.sub);
    const isOneAddress = claims.email === undefined || claims.email === more.email;
    // A word about another address says nothing of this one.
    const { email_verified } = isOneAddress ? { ...more, ...claims } : claims;
    return identityIn(source, claims.iss, claims.sub, { ...more, ...claims, email_verified });
  } catch (error) {
    throw failure(forge, source, error);
  }
}

function identityIn(
  { username_claim: nameClaim }: OpenIdSource,
  issuer: string,
  subject: string,
  claims: Readonly<Record<string, unknown>>,
): ProvidedIdentity {
  const textOf = (claim: string) => (typeof claims[claim] === "string" ? claims[claim].trim() : "");
  return {
    ...{ issuer, subject },
    name: textOf(nameClaim).split("@", 1)[0] ?? "",
    fullName: textOf("name").slice(0, 100),
    email: claims.email_verified === true ? textOf("email") : "",
  };
}

/** The answer of a provider that can't be used: too large, too late, or from where the settings let nobody ask. */
class NoAnswer extends Error {}

interface Known {
  readonly at: number;
  readonly provider: Promise<Configuration>;
}
const knownBy = lazyFor((_config: Config) => new Map<string, Known>());

/** A source's provider as it described itself within the last hour; a failure is not kept. */
function providerOf(forge: Forge, source: OpenIdSource): Promise<Configuration> {
  const known = knownBy(forge.config);
  const found = known.get(source.name);
  if (found !== undefined && forge.clock.now() - found.at < keptMs) return found.provider;
  const provider = discover(forge, source).catch((error: unknown) => {
    known.delete(source.name);
    throw failure(forge, source, error);
  });
  known.set(source.name, { at: forge.clock.now(), provider });
  return provider;
}

async function discover({ config }: Forge, source: OpenIdSource): Promise<Configuration> {
  const openid = await library();
  const issuer = new URL(source.issuer);
  const isPlain = issuer.protocol === "http:"; // the settings let that pass on this machine alone
  const { client_id: id, client_secret: secret } = source;
  const metadata = { ...defined({ client_secret: secret }), [openid.clockTolerance]: toleratedSeconds };
  return openid.discovery(issuer, id, metadata, authenticationBy(openid, secret), {
    [openid.customFetch]: guardedFetch(config, source),
    timeout: source.timeout_seconds,
    execute: [
      // The signature counts, whatever connection the token came over.
      openid.enableNonRepudiationChecks,
      ...(isPlain ? [openid.allowInsecureRequests] : []),
    ],
  });
}

/** As the provider wants it; Basic is meant when it says nothing (OpenID Connect Discovery, 3). */
function authenticationBy(openid: OpenIdLibrary, secret: string | undefined): ClientAuth {
  if (secret === undefined) return openid.None();
  const [inForm, inHeader] = [openid.ClientSecretPost(secret), openid.ClientSecretBasic(secret)];
  return (provider, ...request) => {
    const methods = provider.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    return (methods.includes("client_secret_basic") ? inHeader : inForm)(provider, ...request);
  };
}

/** Addresses come from the provider's description of itself: it can't have us ask inner ones. */
function guardedFetch(config: Config, { timeout_seconds }: OpenIdSource): CustomFetch {
  const setting = "OPENID_CONNECT_ALLOWED_HOST_LIST";
  const client = createGuardedClient({ allowed: parseAllowedHosts(setting, config.openIdAllowedHostList) });
  const withinMs = timeout_seconds * 1000;
  const bounds = { totalTimeoutMs: withinMs, connectTimeoutMs: withinMs, maxBodyBytes: mostAnswerBytes };
  return async (url, { method, headers, body }) => {
    const sent = body === undefined || body === null ? {} : { body: String(body) };
    const outcome = await client.send({ url, method, headers, ...sent, ...bounds });
    if (outcome.kind !== "answered") throw new NoAnswer(outcome.reason);
    if (outcome.cutBy !== undefined) throw new NoAnswer(`its answer was cut off by ${outcome.cutBy}`);
    if (outcome.status < 200 || outcome.status > 599) throw new NoAnswer(`it answered ${outcome.status}`);
    const isBare = [204, 205, 304].includes(outcome.status);
    const given = isBare ? null : new Uint8Array(outcome.body);
    return new Response(given, { status: outcome.status, headers: { ...outcome.headers } });
  };
}

const silent = ({ title, name }: OpenIdSource, cause: unknown) =>
  unavailable(`${title ?? name} can't be asked at the moment: try again later`, { cause });

/** What went wrong, for the person; the log has the cause. */
function failure(forge: Forge, source: OpenIdSource, error: unknown): Error {
  const causes = causesOf(error);
  const isSilent = causes.some((cause) => cause instanceof NoAnswer);
  const reason = causes.map((cause) => (cause instanceof Error ? cause.message : String(cause))).join(": ");
  forge.log.warn("openid:login-failed", { source: source.name, reason: reason.slice(0, 500) });
  if (isSilent) return silent(source, undefined);
  return forbidden(
    `${source.title ?? source.name} did not let you in, or its answer was not right: try again`,
  );
}

function causesOf(error: unknown): unknown[] {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error ? [error, ...causesOf(cause)] : [error];
}
