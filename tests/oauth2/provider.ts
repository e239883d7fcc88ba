import { createHash, randomBytes } from "node:crypto";
import { serve } from "@hono/node-server";
import { createOAuth2Code } from "#core/oauth2-grant/code";
import { giveOAuth2Grant } from "#core/oauth2-grant/oauth2-grant";
import { readScopes } from "#core/oauth2-grant/scope";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

/** An application as its owner registered it. */
export interface Registered {
  readonly id: number;
  readonly client_id: string;
  readonly client_secret: string;
}

/** The provider over real sockets. */
export interface Provider {
  readonly api: TestApi;
  /** Without a slash at its end: the issuer. */
  readonly url: string;
  register(owner: Caller, given?: object): Promise<Registered>;
  /** A code as the consent page gives it, for programs that are tested without a browser. */
  codeFor(user: Caller, clientId: string, request?: CodeOptions): Promise<string>;
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<OAuth2Answer>;
  stop(): Promise<void>;
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
  readonly json: ReturnType<typeof JSON.parse>;
}

export const redirectUri = "https://ci.example/login";

/** A verifier and its S256 challenge, as programs make them. */
export function makeChallenge(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

export async function startProvider(settings: Record<string, string> = {}): Promise<Provider> {
  let url = "";
  const server = serve({
    fetch: (request, env) => api.app.fetch(request, env),
    port: 0,
    hostname: "127.0.0.1",
  });
  await new Promise<void>((resolve) => server.once("listening", resolve));
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const api = await makeApi({ settings: { ROOT_URL: url, ...settings } });
  return {
    api,
    url,
    async register(owner, given = {}) {
      const body = { name: "ci", redirect_uris: [redirectUri], confidential_client: true, ...given };
      const answer = await api.call("POST", "/user/applications/oauth2", { body, as: owner });
      return answer.json;
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
    async stop() {
      await new Promise((resolve) => server.close(resolve));
      await api.stop();
    },
  };
}
