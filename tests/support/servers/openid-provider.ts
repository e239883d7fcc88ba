import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { lazy } from "#core/lazy";
import { onFileFinished } from "../suite/file-end.ts";

/** What a test has the provider do otherwise than it should. */
export interface Misbehavior {
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Of the ID token, over what it would hold; undefined leaves one out. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** The `iss` of the browser's way back. */
  readonly answerIssuer?: string;
  readonly isSignedByOther?: boolean;
  /** Paths that are answered by 10 MB, or never. */
  readonly endless?: string;
  readonly silent?: string;
}

/** A provider of OpenID Connect over a real connection, which lets everybody in as whom the test says. */
export interface TestProvider {
  readonly issuer: string;
  readonly asked: string[];
  person: Readonly<Record<string, unknown>> & { readonly sub: string };
  misbehavior: Misbehavior;
  stop(): Promise<void>;
}

export const clientId = "coldforge";
export const clientSecret = "a-secret-of-the-client";

const waits: ServerResponse[] = [];

/** Two pairs for all providers of a process: each takes a fifth of a second. */
const keyPairs = lazy(async () => [await generateKeyPair("RS256"), await generateKeyPair("RS256")] as const);

/** Starts it; it ends with the test file. */
export async function startOpenIdProvider(): Promise<TestProvider> {
  const [own, other] = await keyPairs();
  const jwk = { ...(await exportJWK(own.publicKey)), kid: "one", alg: "RS256", use: "sig" };
  const codes = new Map<string, URLSearchParams>();
  const server = createServer((request, response) => void answer(request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  const provider: TestProvider = { issuer, asked: [], person: { sub: "1" }, misbehavior: {}, stop };
  onFileFinished(stop);

  const metadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    userinfo_endpoint: `${issuer}/userinfo`,
    response_types_supported: ["code"],
    id_token_signing_alg_values_supported: ["RS256"],
    token_endpoint_auth_methods_supported: ["client_secret_basic"],
    authorization_response_iss_parameter_supported: true,
    ...provider.misbehavior.metadata,
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", issuer);
    provider.asked.push(url.pathname);
    const { endless, silent } = provider.misbehavior;
    if (url.pathname === silent) return void waits.push(response);
    if (url.pathname === endless) return void response.end(`{"a":"${"a".repeat(10 * 2 ** 20)}"}`);
    const json = (status: number, value: object) =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return json(200, metadata());
      case "/keys":
        return json(200, { keys: [jwk] });
      case "/userinfo":
        return json(200, provider.person);
      case "/authorize":
        return void response.writeHead(302, { location: wayBack(url.searchParams) }).end();
      case "/token":
        return token(request, json);
      default:
        return json(404, {});
    }
  }

  function wayBack(asked: URLSearchParams): string {
    const code = randomUUID();
    codes.set(code, asked);
    const back = new URL(asked.get("redirect_uri") ?? "");
    back.searchParams.set("code", code);
    back.searchParams.set("state", asked.get("state") ?? "");
    back.searchParams.set("iss", provider.misbehavior.answerIssuer ?? issuer);
    return back.href;
  }

  async function token(request: IncomingMessage, json: (status: number, value: object) => void) {
    const form = new URLSearchParams(await text(request));
    const [, encoded = ""] = (request.headers.authorization ?? "").split(" ");
    // Both were encoded as in a form before (RFC 6749, 2.3.1).
    const pair = decodeURIComponent(Buffer.from(encoded, "base64").toString());
    if (pair !== `${clientId}:${clientSecret}`) return json(401, { error: "invalid_client" });
    const asked = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isRight =
      asked !== undefined &&
      asked.get("code_challenge") === challenge &&
      asked.get("redirect_uri") === form.get("redirect_uri");
    if (!isRight) return json(400, { error: "invalid_grant" });
    const { isSignedByOther, claims } = provider.misbehavior;
    const { sub } = provider.person;
    const now = Math.floor(Date.now() / 1000);
    const idToken = await new SignJWT({
      ...{ sub, nonce: asked.get("nonce"), iss: issuer, aud: clientId, iat: now, exp: now + 300 },
      ...claims,
    })
      .setProtectedHeader({ alg: "RS256", kid: "one" })
      .sign((isSignedByOther === true ? other : own).privateKey);
    return json(200, { access_token: randomUUID(), token_type: "Bearer", expires_in: 60, id_token: idToken });
  }

  return provider;
}
