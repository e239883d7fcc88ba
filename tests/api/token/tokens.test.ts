import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, type JsonValue, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let admin: Caller;
let alice: Caller;
let bob: Caller;

beforeAll(async () => {
  api = await makeApi();
  admin = await api.makeUser({ name: "boss", isAdmin: true });
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
});
afterAll(() => api.stop());

const basic = (caller: Caller, password = caller.password) => ({
  authorization: `Basic ${Buffer.from(`${caller.name}:${password}`).toString("base64")}`,
});
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const create = (owner: Caller, body: object, headers: Record<string, string>) =>
  api.call("POST", `/users/${owner.name}/tokens`, { body, headers });

describe("userCreateToken", () => {
  it("201: 40 hex digits, shown this once, and never stored by anyone in between", async () => {
    const answer = await create(bob, { name: "first", scopes: ["read:user"] }, basic(admin));
    expect(answer.status).toBe(201);
    expect(answer.json.sha1).toMatch(/^[0-9a-f]{40}$/);
    expect(answer.json.sha1.endsWith(answer.json.token_last_eight)).toBe(true);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const { json } = await api.call("GET", "/users/bob/tokens", { headers: basic(bob) });
    expect(json.find((token: JsonValue) => token.name === "first")).toMatchObject({
      sha1: "",
      scopes: ["read:user"],
    });
  });

  it("201: scopes are stored in their shortest form (semantics §2.5)", async () => {
    const scopes = ["write:user", "read:user", "read:issue", "public-only", "sudo", "read:issue"];
    const answer = await create(bob, { name: "short", scopes }, basic(bob));
    expect(answer.json.scopes).toEqual(["public-only", "read:issue", "write:user"]);
  });

  it("B-13a, AUTH-6: 403 for another user, 201 for an administrator", async () => {
    expect((await create(alice, { name: "x", scopes: ["all"] }, basic(bob))).status).toBe(403);
    expect((await create(alice, { name: "x", scopes: ["all"] }, basic(admin))).status).toBe(201);
  });

  it("401 anonymous, 404 unknown user, in this order (D-ANON)", async () => {
    expect((await api.call("POST", "/users/nobody/tokens", { body: { name: "x" } })).status).toBe(401);
    expect((await create({ ...bob, name: "nobody" }, { name: "x" }, basic(bob))).status).toBe(404);
  });

  it.each([
    [{ name: "second", scopes: [] }, 400],
    [{ name: "second" }, 400],
    [{ name: "second", scopes: ["public-only"] }, 400],
    [{ name: "second", scopes: ["read:nope"] }, 400],
    [{ scopes: ["all"] }, 422],
  ])("%j is refused with %i", async (body, status) => {
    expect((await create(bob, body, basic(bob))).status).toBe(status);
  });

  it("400: a name that the owner used already", async () => {
    await create(bob, { name: "twice", scopes: ["all"] }, basic(bob));
    expect((await create(bob, { name: "twice", scopes: ["all"] }, basic(bob))).status).toBe(400);
    expect((await create(alice, { name: "twice", scopes: ["all"] }, basic(alice))).status).toBe(201);
  });

  it("D-TOKEN: 403 for a token that was created with a token; both end with the first (decision 13)", async () => {
    const parent = await create(bob, { name: "parent", scopes: ["write:user"] }, basic(bob));
    const child = await create(bob, { name: "child", scopes: ["write:user"] }, bearer(parent.json.sha1));
    const who = async (sha1: string) => (await api.call("GET", "/user", { headers: bearer(sha1) })).status;
    const ofBoss = await api.makeToken(admin, ["all"]);
    const forAlice = await create(alice, { name: "from-boss", scopes: ["read:user"] }, bearer(ofBoss));
    const minting = await create(bob, { name: "x", scopes: ["read:user"] }, bearer(child.json.sha1));
    expect(minting.status).toBe(403);
    for (const _time of [1, 2]) expect(await who(child.json.sha1)).toBe(200);
    await api.call("DELETE", "/users/bob/tokens/parent", { headers: basic(bob) });
    expect(await who(child.json.sha1)).toBe(401);
    const { json } = await api.call("GET", "/users/bob/tokens", { headers: basic(bob) });
    expect(json.map(({ name }: JsonValue) => name)).not.toContain("child");
    expect(await who(forAlice.json.sha1)).toBe(200);
    await api.call("DELETE", "/token", { headers: bearer(ofBoss) });
    expect(await who(forAlice.json.sha1)).toBe(401);
  });

  it("D-TOKEN: a token mints no more than it has", async () => {
    const writer = await api.makeToken(bob, ["write:user"]);
    const reader = await api.makeToken(bob, ["read:user"]);
    const limited = await api.makeToken(bob, ["write:user", "public-only"]);
    expect((await create(bob, { name: "m1", scopes: ["write:repository"] }, bearer(writer))).status).toBe(
      403,
    );
    expect((await create(bob, { name: "m2", scopes: ["read:user"] }, bearer(writer))).status).toBe(201);
    expect((await create(bob, { name: "m3", scopes: ["read:user"] }, bearer(reader))).status).toBe(403);
    expect((await create(bob, { name: "m4", scopes: ["read:user"] }, bearer(limited))).status).toBe(403);
    expect(
      (await create(bob, { name: "m5", scopes: ["read:user", "public-only"] }, bearer(limited))).status,
    ).toBe(201);
  });
});

describe("a token with an end", () => {
  const inMinutes = (minutes: number) => new Date(api.clock.now() + minutes * 60_000).toISOString();

  it("401 from then on; until then it is listed with it", async () => {
    const body = { name: "short-lived", scopes: ["all"], expires_at: inMinutes(10) };
    const { status, json } = await create(bob, body, basic(bob));
    expect([status, json.expires_at]).toEqual([201, body.expires_at.replace(".000Z", "Z")]);
    const use = () => api.call("GET", "/user", { headers: bearer(json.sha1) });
    expect((await use()).status).toBe(200);
    api.clock.advance(600_000);
    expect((await use()).status).toBe(401);
  });

  it("D-TOKEN: 403 when it creates one that outlives it; 422 for an end that is over", async () => {
    const made = await create(
      bob,
      { name: "mother", scopes: ["all"], expires_at: inMinutes(10) },
      basic(bob),
    );
    const by = bearer(made.json.sha1);
    expect((await create(bob, { name: "e1", scopes: ["all"] }, by)).status).toBe(403);
    expect((await create(bob, { name: "e2", scopes: ["all"], expires_at: inMinutes(11) }, by)).status).toBe(
      403,
    );
    expect((await create(bob, { name: "e3", scopes: ["all"], expires_at: inMinutes(10) }, by)).status).toBe(
      201,
    );
    expect((await create(bob, { name: "e4", scopes: ["all"], expires_at: inMinutes(0) }, by)).status).toBe(
      422,
    );
    expect((await create(bob, { name: "e5", scopes: ["all"], expires_at: "soon" }, by)).status).toBe(422);
  });
});

describe("userGetTokens", () => {
  it("200: newest first, paged, counted", async () => {
    const owner = await api.makeUser({ name: "many" });
    for (const name of ["one", "two", "three"]) await create(owner, { name, scopes: ["all"] }, basic(owner));
    const answer = await api.call("GET", "/users/many/tokens?limit=2", { headers: basic(owner) });
    expect(answer.json.map((token: JsonValue) => token.name)).toEqual(["three", "two"]);
    expect(answer.headers.get("x-total-count")).toBe("4");
  });

  it("B-13b, AUTH-6: 403 for another user, 200 for an administrator, and for a token that reads users", async () => {
    const reader = await api.makeToken(bob, ["read:user"]);
    expect((await api.call("GET", "/users/alice/tokens", { as: bob })).status).toBe(403);
    expect((await api.call("GET", "/users/alice/tokens", { as: admin })).status).toBe(200);
    expect((await api.call("GET", "/users/bob/tokens", { headers: bearer(reader) })).status).toBe(200);
  });
});

describe("getCurrentToken", () => {
  it("200: the token itself, whatever its scopes; 404 with a password, 401 anonymous", async () => {
    const { json } = await create(bob, { name: "own", scopes: ["read:issue"] }, basic(bob));
    const current = await api.call("GET", "/token", { headers: bearer(json.sha1) });
    expect(current.status).toBe(200);
    expect(current.json).toMatchObject({
      id: json.id,
      name: "own",
      scopes: ["read:issue"],
      user: { id: bob.user.id, login: "bob" },
    });
    expect((await api.call("GET", "/token", { headers: basic(bob) })).status).toBe(404);
    expect((await api.call("GET", "/token")).status).toBe(401);
  });
});

describe("deleteCurrentToken", () => {
  it("204: shut at once; 404 with a password; under sudo it is the administrator's own", async () => {
    const token = await api.makeToken(bob, ["read:issue"]);
    expect((await api.call("DELETE", "/token", { headers: bearer(token) })).status).toBe(204);
    expect((await api.call("GET", "/token", { headers: bearer(token) })).status).toBe(401);
    expect((await api.call("DELETE", "/token", { headers: basic(bob) })).status).toBe(404);
    const ofBoss = await api.makeToken(admin, ["all"]);
    const asBob = { ...bearer(ofBoss), sudo: "bob" };
    expect((await api.call("DELETE", "/token", { headers: asBob })).status).toBe(204);
    expect((await api.call("GET", "/user", { headers: bearer(ofBoss) })).status).toBe(401);
  });
});

describe("userDeleteAccessToken", () => {
  it("204: by id and by name; what it opened is shut at once (NS-1)", async () => {
    const created = await create(bob, { name: "gone", scopes: ["all"] }, basic(bob));
    const use = () => api.call("GET", "/user", { headers: bearer(created.json.sha1) });
    expect((await use()).status).toBe(200);
    expect(
      (await api.call("DELETE", `/users/bob/tokens/${created.json.id}`, { headers: basic(bob) })).status,
    ).toBe(204);
    expect((await use()).status).toBe(401);
    await create(bob, { name: "gone", scopes: ["all"] }, basic(bob));
    expect((await api.call("DELETE", "/users/bob/tokens/gone", { headers: basic(bob) })).status).toBe(204);
  });

  it("B-13c, AUTH-6: 404 for a token of another user, 403 for that user's path, 204 for an administrator", async () => {
    const created = await create(alice, { name: "hers", scopes: ["all"] }, basic(alice));
    const id = String(created.json.id);
    expect((await api.call("DELETE", `/users/bob/tokens/${id}`, { headers: basic(bob) })).status).toBe(404);
    expect((await api.call("DELETE", `/users/alice/tokens/${id}`, { headers: basic(bob) })).status).toBe(403);
    expect((await api.call("DELETE", `/users/alice/tokens/${id}`, { headers: basic(admin) })).status).toBe(
      204,
    );
    expect((await api.call("DELETE", `/users/alice/tokens/${id}`, { headers: basic(admin) })).status).toBe(
      404,
    );
  });
});

describe("authentication", () => {
  const status = async (headers: Record<string, string>, path = "/user") =>
    (await api.call("GET", path, { headers })).status;

  it("AUTH-2a, AUTH-4a: takes token, Bearer in any case, and a token as password or as user name", async () => {
    const { token } = bob;
    const basicOf = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString("base64")}` });
    expect(await status({ authorization: `token ${token}` })).toBe(200);
    expect(await status({ authorization: `BEARER ${token}` })).toBe(200);
    expect(await status(basicOf(`whoever:${token}`))).toBe(200);
    expect(await status(basicOf(`${token}:`))).toBe(200);
    expect(await status(basicOf(`${token}:x-oauth-basic`))).toBe(200);
    expect(await status(basicOf(`BOB:${bob.password}`))).toBe(200);
    expect(await status(basicOf(`bob@example.com:${bob.password}`))).toBe(200);
  });

  it("401 for a wrong password or token on any route, public ones too (semantics §2.7-9)", async () => {
    expect(await status(basic(bob, "wrong password"), "/version")).toBe(401);
    expect(await status(basic({ ...bob, name: "nobody" }), "/version")).toBe(401);
    expect(await status({ authorization: "token nope" }, "/version")).toBe(401);
    expect(await status({ authorization: "Basic %%%" }, "/version")).toBe(401);
    expect(await status({}, "/version")).toBe(200);
  });

  it("AUTH-2b, AUTH-2c, VER-3b: a token in the query works and is answered with a warning, whatever the status", async () => {
    for (const name of ["token", "access_token"]) {
      const good = await api.call("GET", `/user?${name}=${bob.token}`);
      expect(good.status).toBe(200);
      expect(good.headers.get("warning")).toMatch(/token and access_token.*deprecated/);
      const bad = await api.call("GET", `/user?${name}=nope`);
      expect(bad.status).toBe(401);
      expect(bad.headers.has("warning")).toBe(true);
    }
    expect((await api.call("GET", "/user", { as: bob })).headers.has("warning")).toBe(false);
  });

  it("AUTH-3: DISABLE_QUERY_AUTH_TOKEN makes it mean nothing, and the warning stays", async () => {
    const strict = await makeApi({ settings: { DISABLE_QUERY_AUTH_TOKEN: "true" } });
    const caller = await strict.makeUser();
    const answer = await strict.call("GET", `/user?token=${caller.token}`);
    expect(answer.status).toBe(401);
    expect(answer.headers.has("warning")).toBe(true);
    expect((await strict.call("GET", `/version?token=${caller.token}`)).status).toBe(200);
    await strict.stop();
  });

  it("a method that holds wins over an earlier one that does not", async () => {
    const answer = await api.call("GET", "/user?token=nope", { as: bob });
    expect(answer.status).toBe(200);
  });

  it("D-TOKEN-USE: the use of a token is written once an hour", async () => {
    const token = await api.makeToken(alice, ["all"]);
    const lastUse = async () => {
      const { json } = await api.call("GET", "/users/alice/tokens", { headers: basic(alice) });
      return json.find((one: JsonValue) => token.endsWith(one.token_last_eight))?.last_used_at;
    };
    expect(await lastUse()).toBe(null);
    await api.call("GET", "/user", { headers: bearer(token) });
    const first = await lastUse();
    expect(first).not.toBe(null);
    api.clock.advance(1_800_000);
    await api.call("GET", "/user", { headers: bearer(token) });
    expect(await lastUse()).toBe(first);
    api.clock.advance(1_900_000);
    await api.call("GET", "/user", { headers: bearer(token) });
    expect(await lastUse()).not.toBe(first);
  });
});
