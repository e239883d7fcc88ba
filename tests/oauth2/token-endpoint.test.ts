import { createHash } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { removeOAuth2Grant } from "#core/oauth2-grant/oauth2-grant";
import { basic, type JsonValue } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";
import { makeChallenge, redirectUri, tea } from "./provider.ts";
import { secretOf, startTokenWorld, type TokenWorld, tokenRequests } from "./token-requests.ts";

let { provider, alice, bob, app, other } = {} as TokenWorld;
beforeAll(async () => {
  ({ provider, alice, bob, app, other } = await startTokenWorld());
});

const path = "/login/oauth/access_token";
const { exchange, refresh, tokensFor, status } = tokenRequests(() => ({ provider, app, user: alice }));

describe("a code at the token endpoint (semantics §68.2)", () => {
  it("200: tokens that nobody may keep, which work as personal ones do; no id token unless it was asked for", async () => {
    const { verifier } = makeChallenge();
    const answer = await exchange(await provider.codeFor(alice, app.client_id, { verifier }), {
      code_verifier: verifier,
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(Object.keys(answer.json)).toEqual(["access_token", "token_type", "expires_in", "refresh_token"]);
    expect(answer.json).toMatchObject({ token_type: "bearer", expires_in: 3600 });
    expect(await status(answer.json.access_token)).toBe(200);
    const asBasic = basic("whoever", answer.json.access_token);
    expect((await provider.api.call("GET", "/user", { headers: asBasic })).json.login).toBe("alice");
  });

  it("400 unauthorized_client the second time, which also ends what came from the first", async () => {
    const code = await provider.codeFor(alice, app.client_id);
    const { json: first } = await exchange(code);
    const { json: elsewhere } = await exchange(await provider.codeFor(alice, app.client_id));
    const again = await exchange(code);
    expect([again.status, again.json.error]).toEqual([400, "unauthorized_client"]);
    expect(await status(first.access_token)).toBe(401);
    expect((await refresh(first.refresh_token)).json.error).toBe("invalid_grant");
    expect(await status(elsewhere.access_token)).toBe(200);
  });

  it("a second time without what proves its holder ends nothing: the code and the client id are no secrets", async () => {
    const { verifier } = makeChallenge();
    const at = "http://127.0.0.1:54321";
    const code = await provider.codeFor(alice, tea, { verifier, redirectUri: at });
    const ask = async (code_verifier: string, redirect_uri = at) => {
      const fields = { client_id: tea, code, redirect_uri, code_verifier };
      return (await provider.post(path, { grant_type: "authorization_code", ...fields })).json;
    };
    const { access_token } = await ask(verifier);
    for (const stranger of [ask(""), ask(makeChallenge().verifier), ask(verifier, "http://127.0.0.1:1")]) {
      expect((await stranger).error).toBe("unauthorized_client");
    }
    expect(await status(access_token)).toBe(200);
    expect((await ask(verifier)).error).toBe("unauthorized_client");
    expect(await status(access_token)).toBe(401);
  });

  it("has one winner of several at once, and then no token of it counts", async () => {
    const code = await provider.codeFor(alice, app.client_id);
    const answers = await Promise.all([exchange(code), exchange(code), exchange(code)]);
    const won = answers.filter((one) => one.status === 200);
    expect(won.length).toBe(1);
    for (const { json } of won) expect(await status(json.access_token)).toBe(401);
  });

  it("400 for one that expired, after ten minutes", async () => {
    const code = await provider.codeFor(alice, app.client_id);
    provider.api.clock.advance(600_000);
    expect((await exchange(code)).json.error).toBe("unauthorized_client");
  });

  it("400 invalid_grant for a thief who is another client; its owner may still use it", async () => {
    const code = await provider.codeFor(alice, app.client_id);
    expect((await exchange(code, secretOf(other))).json.error).toBe("invalid_grant");
    expect((await exchange(code)).status).toBe(200);
  });

  const wrong: [string, Record<string, string>, string][] = [
    ["another redirect", { redirect_uri: "https://ci.example/other" }, "unauthorized_client"],
    ["no redirect", { redirect_uri: "" }, "unauthorized_client"],
    ["a wrong verifier", { code_verifier: makeChallenge().verifier }, "unauthorized_client"],
    ["no verifier", { code_verifier: "" }, "unauthorized_client"],
    ["a wrong secret", { client_secret: "gto_wrong" }, "unauthorized_client"],
    ["no secret", { client_secret: "" }, "unauthorized_client"],
    ["an unknown client", { client_id: "d57cb8c4-630c-4168-8324-000000000000" }, "invalid_client"],
    ["__proto__ as a client", { client_id: "__proto__" }, "invalid_client"],
    ["an unknown code", { code: "gta_unknown" }, "unauthorized_client"],
    ["another grant type", { grant_type: "password" }, "unsupported_grant_type"],
    ["a verifier of 32 KB", { code_verifier: "x".repeat(32_768) }, "invalid_request"],
  ];
  it.each(wrong)("400 with %s, and the code stays usable", async (_title, more, error) => {
    const { verifier } = makeChallenge();
    const code = await provider.codeFor(alice, app.client_id, { verifier });
    const refused = await exchange(code, { code_verifier: verifier, ...more });
    expect([refused.status, refused.json.error]).toEqual([400, error]);
    expect(refused.json.error_description).not.toBe("");
    expect((await exchange(code, { code_verifier: verifier })).status).toBe(200);
  });

  it("400 for a verifier to a code that was asked for without a challenge (RFC 9700)", async () => {
    const code = await provider.codeFor(alice, app.client_id);
    const refused = await exchange(code, { code_verifier: makeChallenge().verifier });
    expect(refused.json.error).toBe("unauthorized_client");
  });

  it("400 invalid_request for parameters sent twice, and for a header and a body that disagree", async () => {
    const code = await provider.codeFor(alice, app.client_id);
    const fields = { grant_type: "authorization_code", code, redirect_uri: redirectUri, ...secretOf(app) };
    const body = `${new URLSearchParams(fields)}&code=gta_other`;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const twice = await fetch(provider.url + path, { method: "POST", body, headers });
    expect([twice.status, ((await twice.json()) as JsonValue).error]).toEqual([400, "invalid_request"]);
    const disagreeing = await provider.post(path, fields, basic(other.client_id, other.client_secret));
    expect(disagreeing.json.error).toBe("invalid_request");
    expect((await provider.post(path, fields, basic(app.client_id, app.client_secret))).status).toBe(200);
  });

  it("takes JSON, in which __proto__ is a name like others", async () => {
    const code = await provider.codeFor(alice, app.client_id);
    const fields = { grant_type: "authorization_code", code, redirect_uri: redirectUri, ...secretOf(app) };
    const body = JSON.stringify(fields).replace("{", '{"__proto__":"x","constructor":"y",');
    const headers = { "content-type": "application/json" };
    expect((await fetch(provider.url + path, { method: "POST", body, headers })).status).toBe(200);
    const broken = await fetch(provider.url + path, { method: "POST", body: "[1", headers });
    expect([broken.status, ((await broken.json()) as JsonValue).error]).toEqual([400, "invalid_request"]);
  });

  it("gives public clients tokens without a secret", async () => {
    const { verifier } = makeChallenge();
    const code = await provider.codeFor(alice, tea, { verifier, redirectUri: "http://127.0.0.1:54321" });
    const fields = { client_id: tea, redirect_uri: "http://127.0.0.1:54321", code_verifier: verifier };
    const answer = await provider.post(path, { grant_type: "authorization_code", code, ...fields });
    expect(await status(answer.json.access_token)).toBe(200);
  });
});

describe("a refresh token (semantics §68.2)", () => {
  it("gives a new pair, after which the older one counts no more", async () => {
    const first = await tokensFor();
    const second = await refresh(first.refresh_token);
    expect(await status(second.json.access_token)).toBe(200);
    const again = await refresh(first.refresh_token);
    expect([again.status, again.json.error]).toEqual([400, "unauthorized_client"]);
    expect((await refresh(second.json.refresh_token)).status).toBe(200);
  });

  it("that comes again a minute later ends its login: one of its holders is a thief (RFC 9700)", async () => {
    const [stolen, elsewhere] = [await tokensFor(), await tokensFor()];
    const thief = (await refresh(stolen.refresh_token)).json;
    provider.api.clock.advance(60_000);
    expect((await refresh(stolen.refresh_token)).json.error).toBe("unauthorized_client");
    expect(await status(thief.access_token)).toBe(401);
    expect((await refresh(thief.refresh_token)).json.error).toBe("invalid_grant");
    expect(await status(elsewhere.access_token)).toBe(200);
  });

  it("400: unreadable, another's, a wrong secret, an access token in its place, over", async () => {
    const { refresh_token, access_token } = await tokensFor();
    const errors = await Promise.all([
      refresh("garbage"),
      refresh(access_token),
      refresh(refresh_token, secretOf(other)),
      refresh(refresh_token, { client_secret: "gto_wrong" }),
    ]);
    expect(errors.map(({ json }) => json.error)).toEqual([
      ...["unauthorized_client", "unauthorized_client", "invalid_grant", "invalid_client"],
    ]);
    provider.api.clock.advance(730 * 3_600_000);
    expect((await refresh(refresh_token)).json.error).toBe("unauthorized_client");
  });

  it("of one login outlives another login of the same program", async () => {
    const [first, second] = [await tokensFor(), await tokensFor()];
    expect((await refresh(first.refresh_token)).status).toBe(200);
    expect((await refresh(second.refresh_token)).status).toBe(200);
  });
});

describe("an access token of a program", () => {
  it("may do what its scopes say, and all without any (semantics §68.2)", async () => {
    const repository = { name: "by-program" };
    const { access_token: limited } = await tokensFor(alice, "openid read:user");
    expect([await status(limited), await status(limited, "POST", "/user/repos", repository)]).toEqual([
      200, 403,
    ]);
    const { access_token: unlimited } = await tokensFor(alice, "openid profile");
    expect(await status(unlimited, "POST", "/user/repos", repository)).toBe(201);
  });

  it("creates no tokens, and is refused where a password is needed", async () => {
    const { access_token } = await tokensFor();
    const body = { name: "made", scopes: ["all"] };
    expect(await status(access_token, "POST", "/users/alice/tokens", body)).toBe(403);
    expect(await status(access_token, "POST", "/user/two_factor")).toBe(403);
  });

  it("changes no application: its user's other programs may do more than it", async () => {
    const { access_token } = await tokensFor(alice, "write:user");
    const other = await provider.register(alice);
    const body = { name: "ci", redirect_uris: ["https://evil.example"], confidential_client: true };
    expect(await status(access_token, "PATCH", `/user/applications/oauth2/${other.id}`, body)).toBe(403);
  });

  it("is over after an hour, and with its grant, at once", async () => {
    const first = await tokensFor();
    provider.api.clock.advance(3_600_000);
    expect(await status(first.access_token)).toBe(401);
    const second = await tokensFor();
    await removeOAuth2Grant(provider.api.forge, alice.user.id, app.client_id);
    expect(await status(second.access_token)).toBe(401);
    expect((await refresh(second.refresh_token)).json.error).toBe("invalid_grant");
    await tokensFor();
    expect(await status(second.access_token)).toBe(401);
  });

  it("is over with its application, whose grants go, too", async () => {
    const { api } = provider;
    const gone = await provider.register(bob, { name: "gone" });
    const code = await provider.codeFor(alice, gone.client_id);
    const { json } = await exchange(code, secretOf(gone));
    expect(await status(json.access_token)).toBe(200);
    await api.call("DELETE", `/user/applications/oauth2/${gone.id}`, { as: bob });
    expect(await status(json.access_token)).toBe(401);
    await finishJobs(api);
    expect(
      await api.forge.table.get({ pk: `U#${alice.user.id}`, sk: `OAUTH2GRANT#${gone.client_id}` }),
    ).toBeUndefined();
    expect(await api.forge.table.queryAll({ pk: `OAUTH2#${gone.client_id}` })).toEqual([]);
  });

  it("is over with the owner of its application, and with its user", async () => {
    const { api } = provider;
    const admin = await api.makeUser({ name: "boss", isAdmin: true });
    const [owner, leaver] = [await api.makeUser({ name: "owner" }), await api.makeUser({ name: "leaver" })];
    const theirs = await provider.register(owner);
    const ofTheirs = (await exchange(await provider.codeFor(alice, theirs.client_id), secretOf(theirs))).json;
    const ofUser = await tokensFor(leaver);
    for (const name of ["owner", "leaver"]) {
      expect((await api.call("DELETE", `/admin/users/${name}`, { as: admin })).status).toBe(204);
    }
    expect((await refresh(ofTheirs.refresh_token, secretOf(theirs))).json.error).toBe("invalid_client");
    expect(await status(ofUser.access_token)).toBe(401);
    await finishJobs(api);
    expect(await status(ofTheirs.access_token)).toBe(401);
    expect(await api.forge.table.queryAll({ pk: `OAUTH2#${theirs.client_id}` })).toEqual([]);
    expect(
      await api.forge.table.get({ pk: `OAUTH2#${app.client_id}`, sk: `GRANT#${leaver.user.id}` }),
    ).toBeUndefined();
  });

  it("waits while its user may not log in", async () => {
    const { api } = provider;
    const admin = await api.makeUser({ name: "chief", isAdmin: true });
    const user = await api.makeUser({ name: "suspended" });
    const tokens = await tokensFor(user);
    const shut = (prohibit_login: boolean) =>
      api.call("PATCH", "/admin/users/suspended", { as: admin, body: { prohibit_login } });
    await shut(true);
    expect(await status(tokens.access_token)).toBe(403);
    expect((await refresh(tokens.refresh_token)).json.error).toBe("invalid_grant");
    await shut(false);
    expect((await refresh(tokens.refresh_token)).status).toBe(200);
  });

  it("is none of another kind, nor one that somebody else signed", async () => {
    const tokens = await tokensFor(alice, "openid");
    expect(await status(tokens.id_token)).toBe(401);
    expect(await status(tokens.refresh_token)).toBe(401);
    const [head, claims = "", signature] = tokens.access_token.split(".");
    const changed = JSON.parse(Buffer.from(claims, "base64url").toString());
    const forged = Buffer.from(JSON.stringify({ ...changed, sub: String(bob.user.id) })).toString(
      "base64url",
    );
    expect(await status(`${head}.${forged}.${signature}`)).toBe(401);
    const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString("base64url");
    expect(await status(`${none}.${claims}.x`)).toBe(401);
  });
});

describe("the endpoints themselves", () => {
  it("404 for other paths, 405 for other methods", async () => {
    expect((await fetch(`${provider.url}/login/oauth/other`)).status).toBe(404);
    const wrong = await fetch(provider.url + path);
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
  });

  it("keep hashes of secrets and codes, never their texts", async () => {
    const code = await provider.codeFor(alice, app.client_id);
    const hash = createHash("sha256").update(code).digest("hex");
    const kept = await provider.api.forge.table.queryAll({ pk: `OAUTH2CODE#${hash}` });
    expect(kept).toHaveLength(1);
    expect(JSON.stringify(kept)).not.toContain(code.slice(4));
  });
});
