import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { listSigningKeys, rotateSigningKey } from "#core/signing-key/signing-key";
import { basic, type JsonValue } from "#tests/support/api";
import { measured } from "#tests/support/measured";
import { redirectUri } from "./provider.ts";
import { secretOf, startTokenWorld, type TokenWorld, tokenRequests } from "./token-requests.ts";

let { provider, alice, bob, app, other } = {} as TokenWorld;
beforeAll(async () => {
  ({ provider, alice, bob, app, other } = await startTokenWorld());
});

const { exchange, refresh, tokensFor, status } = tokenRequests(() => ({ provider, app, user: alice }));

describe("GET /login/oauth/keys, /.well-known/openid-configuration (semantics §68.2)", () => {
  const get = async (at: string): Promise<JsonValue> => (await fetch(provider.url + at)).json();

  it("tell what verifies an id token, and where everything is", async () => {
    const found = await get("/.well-known/openid-configuration");
    expect(found.issuer).toBe(provider.url);
    expect(found.jwks_uri).toBe(`${provider.url}/login/oauth/keys`);
    const keys = await get("/login/oauth/keys");
    expect(keys.keys).toMatchObject([{ kty: "RSA", alg: "RS256", use: "sig" }]);
    expect(Object.keys(keys.keys[0]).sort()).toEqual(["alg", "e", "kid", "kty", "n", "use"]);
    const code = await provider.codeFor(alice, app.client_id, {
      scope: "openid profile email",
      nonce: "n-1",
    });
    const { id_token } = (await exchange(code)).json;
    const { payload } = await jwtVerify(id_token, createLocalJWKSet(keys), {
      ...{ issuer: provider.url, audience: app.client_id },
      currentDate: new Date(provider.api.clock.now()),
    });
    expect(payload).toMatchObject({
      ...{ sub: String(alice.user.id), nonce: "n-1", preferred_username: "alice" },
      ...{ email: "alice@example.com", email_verified: true, profile: `${provider.url}/alice` },
    });
  });

  it("keep a replaced key until its tokens are over; a forgotten one verifies nothing", async () => {
    const tokens = await tokensFor();
    const { kid } = decodeProtectedHeader(tokens.access_token);
    await rotateSigningKey(provider.api.forge);
    expect(await status(tokens.access_token)).toBe(200);
    const later = await tokensFor();
    expect(decodeProtectedHeader(later.access_token).kid).not.toBe(kid);
    expect((await get("/login/oauth/keys")).keys).toHaveLength(2);
    await rotateSigningKey(provider.api.forge, { forgets: true });
    expect([await status(tokens.access_token), await status(later.access_token)]).toEqual([401, 401]);
    expect((await get("/login/oauth/keys")).keys).toHaveLength(1);
  });

  it("make one key, however many ask first", async () => {
    await provider.api.forge.table.removeAll([{ pk: "SYS", sk: "SIGNING" }]);
    provider.api.clock.advance(61_000);
    const kids = await Promise.all(
      Array.from({ length: 4 }, async () => (await get("/login/oauth/keys")).keys[0].kid),
    );
    expect(new Set(kids).size).toBe(1);
  });

  it("take one thread of a process, not one for each who asks: others wait behind all of them", async () => {
    const { forge } = provider.api;
    await forge.table.removeAll([{ pk: "SYS", sk: "SIGNING" }]);
    provider.api.clock.advance(61_000);
    const { result, usage } = await measured(() =>
      Promise.all(Array.from({ length: 8 }, () => listSigningKeys(forge))),
    );
    expect(new Set(result.map(([key]) => key?.kid)).size).toBe(1);
    expect(usage.operations["dynamodb:TransactWriteItems"]).toBe(1); // of each key that is made
  });

  it("keep the private half sealed in the table", async () => {
    const { sealed } = (await provider.api.forge.table.get({ pk: "SYS", sk: "SIGNING" })) as {
      sealed?: string;
    };
    expect(sealed).toMatch(/^[0-9a-f]{8}\./);
    expect(sealed).not.toContain("kty");
  });
});

describe("userinfo, introspect, revoke", () => {
  const userinfo = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return fetch(`${provider.url}/login/oauth/userinfo`, { headers });
  };

  it("userinfo: who it is, with groups when they were asked for; 401 with a challenge otherwise", async () => {
    await provider.api.call("POST", "/orgs", { as: alice, body: { username: "guild" } });
    const { access_token } = await tokensFor(alice, "openid groups");
    expect(await (await userinfo(access_token)).json()).toMatchObject({
      ...{ sub: String(alice.user.id), preferred_username: "alice", email: "alice@example.com" },
      groups: ["guild", "guild:Owners"],
    });
    const { access_token: narrow } = await tokensFor(alice, "openid read:repository");
    expect(await (await userinfo(narrow)).json()).not.toHaveProperty("email");
    const refused = await userinfo("garbage");
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
      401,
      'Bearer error="invalid_token"',
    ]);
    expect((await userinfo(alice.token)).status).toBe(401);
  });

  it("introspect: 401 for a wrong secret; what a token is; active false for what counts for nothing", async () => {
    const ask = (token: string, secret = app.client_secret) =>
      provider.post("/login/oauth/introspect", { token }, basic(app.client_id, secret));
    const { access_token, refresh_token } = await tokensFor(alice, "openid read:user");
    expect((await ask(access_token, "gto_wrong")).status).toBe(401);
    expect((await provider.post("/login/oauth/introspect", { token: access_token })).status).toBe(401);
    const facts = { active: true, username: "alice", scope: "openid read:user", iss: provider.url };
    const sub = String(alice.user.id);
    expect((await ask(access_token)).json).toMatchObject({ ...facts, aud: app.client_id, sub });
    expect((await ask(refresh_token)).json).toMatchObject(facts);
    await refresh(refresh_token);
    expect((await ask(refresh_token)).json).toEqual({ active: false });
    expect((await ask("garbage")).json).toEqual({ active: false });
    expect((await ask(alice.token)).json).toEqual({ active: false });
  });

  it("revoke: ends the tokens of one login; 200 for what is none; nothing for another's (RFC 7009)", async () => {
    const revoke = (token: string, by = app) =>
      provider.post("/login/oauth/revoke", { token, ...secretOf(by) });
    const [first, second] = [await tokensFor(), await tokensFor()];
    expect((await revoke(first.access_token, other)).json.error).toBe("invalid_grant");
    expect(await status(first.access_token)).toBe(200);
    expect((await revoke(first.refresh_token)).status).toBe(200);
    expect((await revoke("garbage")).status).toBe(200);
    expect([await status(first.access_token), await status(second.access_token)]).toEqual([401, 200]);
    expect((await revoke(second.access_token, { ...app, client_secret: "x" })).json.error).toBe(
      "invalid_client",
    );
  });

  it("PATCH of the application ends its secret, not its tokens (semantics §68.1)", async () => {
    const { access_token, refresh_token } = await tokensFor();
    const body = { name: "ci", redirect_uris: [redirectUri], confidential_client: true };
    const answer = await provider.api.call("PATCH", `/user/applications/oauth2/${app.id}`, { body, as: bob });
    expect((await refresh(refresh_token)).json.error).toBe("invalid_client");
    app = answer.json;
    expect((await refresh(refresh_token)).status).toBe(200);
    expect(await status(access_token)).toBe(200);
  });
});
