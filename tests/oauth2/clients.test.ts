import { createLocalJWKSet, jwtVerify } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { git } from "#tests/git/http/real-git";
import { basic, type Caller, type JsonValue } from "#tests/support/api";
import type { Browser } from "#tests/support/browser";
import { makeRepository, pushFiles } from "#tests/support/code";
import { broughtBack, makeChallenge, type Provider, startProvider, tea } from "./provider.ts";

let provider: Provider;
let alice: Caller;
let root: Caller;
let browser: Browser;
beforeAll(async () => {
  provider = await startProvider({ CORS_ENABLED: "true", CORS_ALLOW_DOMAIN: "https://editor.example" });
  const { api } = provider;
  [alice, root] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "root" })];
  await makeRepository(api, alice, "tale", { private: true });
  await pushFiles(api, alice, "tale", { files: { "a.md": "one\n" } });
  browser = await provider.signedIn(alice);
});

const tokenPath = "/login/oauth/access_token";

/** What a browser brings back that a program sent to the authorize page, and whose user agrees if they are asked. */
async function authorize(query: Record<string, string>): Promise<Record<string, string>> {
  const page = await browser.get(`/login/oauth/authorize?${new URLSearchParams(query)}`);
  const answer = page.status === 303 ? page : await browser.submit(page, { granted: "true" });
  return broughtBack(answer, query.redirect_uri);
}

const userBy = async (authorization: string): Promise<string> => {
  const answer = await fetch(`${provider.url}/api/v1/user`, { headers: { authorization } });
  return ((await answer.json()) as JsonValue).login;
};

/** The head of the private repository's main branch, as git lists it with a name and a password. */
function headByGit(name: string, password: string): Promise<string> {
  const url = new URL(`${provider.url}/alice/tale.git`);
  Object.assign(url, { username: name, password });
  return git(".", ["ls-remote", url.href, "refs/heads/main"]);
}

/** Go's golang.org/x/oauth2 names its client by Basic at first, with an empty password for public clients. */
const goExchange = (clientId: string, secret: string, fields: Record<string, string>) =>
  provider.post(tokenPath, fields, basic(encodeURIComponent(clientId), encodeURIComponent(secret)));

describe("programs of the family's users log in as they always do", () => {
  it("Woodpecker: golang.org/x/oauth2 without scopes, refreshed later, and the Go SDK's `token` header", async () => {
    const redirect_uri = "https://ci.example/authorize";
    const app = await provider.register(root, { name: "woodpecker", redirect_uris: [redirect_uri] });
    const { code = "", state } = await authorize({
      ...{ client_id: app.client_id, redirect_uri, response_type: "code", state: "woodpecker-1" },
    });
    expect(state).toBe("woodpecker-1");
    const first = await goExchange(app.client_id, app.client_secret, {
      ...{ grant_type: "authorization_code", code, redirect_uri },
    });
    expect(await userBy(`token ${first.json.access_token}`)).toBe("alice");
    const { refresh_token } = first.json;
    const fields = { grant_type: "refresh_token", refresh_token };
    const second = await goExchange(app.client_id, app.client_secret, fields);
    expect(await userBy(`token ${second.json.access_token}`)).toBe("alice");
  });

  it("Drone: its client and state in the body, and `Bearer`", async () => {
    const redirect_uri = "https://drone.example/login";
    const app = await provider.register(root, { name: "drone", redirect_uris: [redirect_uri] });
    const { client_id, client_secret } = app;
    const { code = "", state = "" } = await authorize({
      ...{ client_id, redirect_uri, response_type: "code", state: "d1" },
    });
    const fields = { client_id, client_secret, grant_type: "authorization_code", code, redirect_uri, state };
    const answer = await provider.post(tokenPath, fields);
    expect(answer.json).toMatchObject({ token_type: "bearer", expires_in: 3600 });
    expect(await userBy(`Bearer ${answer.json.access_token}`)).toBe("alice");
  });

  it("Argo CD: finds everything by the issuer, and checks the id token with its groups", async () => {
    await provider.api.call("POST", "/orgs", { as: alice, body: { username: "deployers" } });
    const issuer = provider.url;
    const found = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
    const { authorization_endpoint, token_endpoint, jwks_uri, ...facts } = found as JsonValue;
    expect(facts).toMatchObject({ issuer, id_token_signing_alg_values_supported: ["RS256"] });
    expect(authorization_endpoint).toBe(`${issuer}/login/oauth/authorize`);
    const redirect_uri = "https://argo.example/auth/callback";
    const app = await provider.register(root, { name: "argo", redirect_uris: [redirect_uri] });
    const scope = "openid profile email groups";
    const { code = "", iss } = await authorize({
      ...{ client_id: app.client_id, redirect_uri, response_type: "code", scope, state: "a1", nonce: "n1" },
    });
    expect(iss).toBe(issuer);
    const { pathname } = new URL(token_endpoint);
    expect(pathname).toBe(tokenPath);
    const fields = { grant_type: "authorization_code", code, redirect_uri };
    const { json } = await goExchange(app.client_id, app.client_secret, fields);
    const keys = createLocalJWKSet((await (await fetch(jwks_uri)).json()) as JsonValue);
    const currentDate = new Date(provider.api.clock.now());
    const checks = { issuer, audience: app.client_id, algorithms: ["RS256"], currentDate };
    const { payload } = await jwtVerify(json.id_token, keys, checks);
    expect(payload).toMatchObject({ preferred_username: "alice", nonce: "n1", groups: expect.any(Array) });
    expect(payload.groups).toEqual(["deployers", "deployers:Owners"]);
    const others = { ...checks, issuer: "https://other.example" };
    await expect(jwtVerify(json.id_token, keys, others)).rejects.toThrow("iss");
  });

  it("tea: PKCE at a loopback port, its own words for scopes, and no secret", async () => {
    const { verifier, challenge } = makeChallenge();
    const redirect_uri = "http://127.0.0.1:41731";
    const scope = "admin,user,issue,misc,notification,organization,package,repository";
    const { code = "", state } = await authorize({
      ...{ client_id: tea, redirect_uri, response_type: "code", scope, state: "t1" },
      ...{ code_challenge: challenge, code_challenge_method: "S256", access_type: "offline" },
    });
    expect(state).toBe("t1");
    const fields = { grant_type: "authorization_code", code, redirect_uri, code_verifier: verifier };
    const { json } = await goExchange(tea, "", fields);
    expect(await userBy(`token ${json.access_token}`)).toBe("alice");
    const again = { grant_type: "refresh_token", refresh_token: json.refresh_token };
    expect((await goExchange(tea, "", again)).status).toBe(200);
  });

  it("git-credential-oauth: PKCE at a loopback port; the token is git's password", async () => {
    const client = "a4792ccc-144e-407e-86c9-5e7d8d9c3269";
    // In plain base64, as version 0.4.2 sends it.
    const { verifier, challenge } = makeChallenge("4RRT6N3pE2ZQ5IqaI+puBQmPz/bpptVeZJ8PZgSphNk=");
    const redirect_uri = "http://127.0.0.1:38211";
    const { code = "" } = await authorize({
      ...{ client_id: client, redirect_uri, response_type: "code", state: "g1" },
      ...{
        scope: "read:repository write:repository",
        code_challenge: challenge,
        code_challenge_method: "S256",
      },
    });
    const fields = { grant_type: "authorization_code", code, redirect_uri, code_verifier: verifier };
    const { json } = await goExchange(client, "", fields);
    expect(await headByGit("oauth2", json.access_token)).toMatch(/^[0-9a-f]{40}\trefs\/heads\/main/);
    await expect(headByGit("oauth2", `${json.access_token}x`)).rejects.toThrow();
  });

  it("Git Credential Manager: the same with a slash at the end, and its client in the body", async () => {
    const client_id = "e90ee53c-94e2-48ac-9358-a874fb9e0662";
    const { verifier, challenge } = makeChallenge();
    const redirect_uri = "http://127.0.0.1:52007/";
    const { code = "" } = await authorize({
      ...{ response_type: "code", client_id, state: "m1", redirect_uri, scope: "" },
      ...{ code_challenge_method: "S256", code_challenge: challenge },
    });
    const fields = {
      grant_type: "authorization_code",
      code,
      code_verifier: verifier,
      redirect_uri,
      client_id,
    };
    const { json } = await provider.post(tokenPath, fields);
    expect(await headByGit("OAUTH_USER", json.access_token)).toMatch(/^[0-9a-f]{40}\trefs\/heads\/main/);
  });

  it("editors in browsers (Decap CMS, Sveltia CMS): PKCE and JSON from a page of another site", async () => {
    const redirect_uri = "https://editor.example/";
    const given = { name: "editor", redirect_uris: [redirect_uri], confidential_client: false };
    const { client_id } = await provider.register(root, given);
    const { verifier, challenge } = makeChallenge();
    const { code = "" } = await authorize({
      ...{ client_id, redirect_uri, response_type: "code", scope: "repository", state: "e1" },
      ...{ code_challenge_method: "S256", code_challenge: challenge },
    });
    const fields = {
      grant_type: "authorization_code",
      client_id,
      code,
      redirect_uri,
      code_verifier: verifier,
    };
    const headers = { "content-type": "application/json", origin: "https://editor.example" };
    const body = JSON.stringify(fields);
    const answer = await fetch(provider.url + tokenPath, { method: "POST", headers, body });
    expect(answer.headers.get("access-control-allow-origin")).toBe("https://editor.example");
    expect(await userBy(`token ${((await answer.json()) as JsonValue).access_token}`)).toBe("alice");
  });
});
