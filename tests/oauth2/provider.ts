import { createHash, randomBytes } from "node:crypto";
import { createOAuth2Code } from "#core/oauth2-grant/code";
import { giveOAuth2Grant } from "#core/oauth2-grant/oauth2-grant";
import { readScopes } from "#core/oauth2-grant/scope";
import { type PagesSite, startPages } from "#tests/pages/site";
import type { Caller, JsonValue } from "#tests/support/api";
import type { Browser, Shown } from "#tests/support/browser";
import type { PathProxy } from "#tests/support/servers/path-proxy";

/** An application as its owner registered it. */
export interface Registered {
  readonly id: number;
  readonly client_id: string;
  readonly client_secret: string;
}

/** The provider over real sockets; it ends with the test file. */
export interface Provider extends PagesSite {
  register(owner: Caller, given?: object): Promise<Registered>;
  /** A code as the consent page gives it, for programs that are tested without a browser. */
  codeFor(user: Caller, clientId: string, request?: CodeOptions): Promise<string>;
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<OAuth2Answer>;
  /** A browser in which a user is signed in. */
  signedIn(user: Caller): Promise<Browser>;
}

export interface CodeOptions {
  readonly scope?: string;
  readonly redirectUri?: string | undefined;
  readonly verifier?: string;
  readonly nonce?: string;
}

export interface OAuth2Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: JsonValue;
}

export const redirectUri = "https://ci.example/login";
export const tea = "d57cb8c4-630c-4168-8324-ec79935e18d4";

/** A verifier and its S256 challenge, as programs make them. */
export function makeChallenge(verifier = randomBytes(32).toString("base64url")): {
  verifier: string;
  challenge: string;
} {
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** What a browser that is sent back brings the program; throws when it is not sent back there. */
export function broughtBack({ status, location, text }: Shown, to = redirectUri): Record<string, string> {
  if (status !== 303 || location?.startsWith(to) !== true) throw new Error(`${status} ${location} ${text}`);
  return Object.fromEntries(new URL(location).searchParams);
}

export async function startProvider(
  settings: Record<string, string> = {},
  proxy?: PathProxy,
): Promise<Provider> {
  const site = await startPages(settings, proxy);
  const { api, url } = site;
  return {
    ...site,
    async register(owner, given = {}) {
      const body = { name: "ci", redirect_uris: [redirectUri], confidential_client: true, ...given };
      return (await api.call("POST", "/user/applications/oauth2", { body, as: owner })).json;
    },
    async codeFor(
      { user },
      clientId,
      { scope = "", redirectUri: sentTo = redirectUri, verifier, nonce } = {},
    ) {
      const read = readScopes(scope);
      if ("unknown" in read) throw new Error(`there is no scope ${read.unknown}`);
      const { scopes } = read;
      const grant = await giveOAuth2Grant(api.forge, { userId: user.id, clientId, scopes });
      const value = createHash("sha256")
        .update(verifier ?? "")
        .digest("base64url");
      const challenge = verifier === undefined ? undefined : ({ method: "S256", value } as const);
      return createOAuth2Code(api.forge, grant, { scopes, redirectUri: sentTo, challenge, nonce });
    },
    async post(path, fields, headers = {}) {
      const body = new URLSearchParams(fields);
      const answer = await fetch(`${url}${path}`, { method: "POST", body, headers, redirect: "manual" });
      const text = await answer.text();
      const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true;
      return { status: answer.status, headers: answer.headers, json: isJson ? JSON.parse(text) : text };
    },
    async signedIn(user) {
      const browser = site.browser();
      await site.signIn(browser, user);
      return browser;
    },
  };
}
