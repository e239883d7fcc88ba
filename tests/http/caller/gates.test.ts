import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ownerKey } from "#core/owner/owner.table";
import { update } from "#core/table/write";
import { createGitApp } from "#functions/git/app";
import { createGitResolver } from "#functions/git/resolve";
import { basic, type Caller, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let admin: Caller;
let bob: Caller;

beforeAll(async () => {
  api = await makeApi();
  admin = await api.makeUser({ name: "boss", isAdmin: true });
  bob = await api.makeUser({ name: "bob" });
});
afterAll(() => api.stop());

const mark = (caller: Caller, set: object) =>
  api.forge.table.write(update(ownerKey(caller.user.id), { set: { ...set } }));

describe("account gates (semantics §2.2)", () => {
  it.each([
    [{ isActive: false }, "not active"],
    [{ isLoginProhibited: true }, "prohibited"],
    [{ mustChangePassword: true }, "/user/password"],
  ])("403 without url for %j, by token and password, from the next request on", async (set, words) => {
    const caller = await api.makeUser();
    const ask = () => api.call("GET", "/version", { as: caller });
    expect((await ask()).status).toBe(200);
    await mark(caller, set);
    for (const headers of [{ authorization: `token ${caller.token}` }, basic(caller.name, caller.password)]) {
      const { status, json } = await api.call("GET", "/version", { headers });
      expect([status, json]).toEqual([403, { message: expect.stringContaining(words) }]);
    }
  });
});

describe("userChangePassword", () => {
  const change = (caller: Caller, password: string, headers = basic(caller.name, caller.password)) =>
    api.call("PUT", "/user/password", { headers, body: { password } });

  it("204: the way out for an account that must change its password", async () => {
    const caller = await api.makeUser({ mustChangePassword: true });
    expect((await change(caller, "another-horse-7")).status).toBe(204);
    const headers = basic(caller.name, "another-horse-7");
    expect((await api.call("GET", "/user", { headers })).status).toBe(200);
    expect((await api.call("GET", "/user", { headers: basic(caller.name, caller.password) })).status).toBe(
      401,
    );
  });

  it("422: the present password, or one that is too short; 401 anonymous; 403 with a token or as somebody else", async () => {
    const caller = await api.makeUser({ mustChangePassword: true });
    expect((await change(caller, caller.password)).status).toBe(422);
    expect((await change(caller, "short")).status).toBe(422);
    expect((await change(caller, "another-horse-7", {} as never)).status).toBe(401);
    const byToken = { authorization: `token ${bob.token}` };
    expect((await change(bob, "another-horse-7", byToken)).status).toBe(403);
    const asBob = { ...basic(admin.name, admin.password), sudo: "bob" };
    expect((await change(bob, "another-horse-7", asBob)).status).toBe(403);
  });
});

describe("sudo (semantics §1.10)", () => {
  const ask = (path: string, headers: Record<string, string>) => api.call("GET", path, { headers });
  const asAdmin = () => ({ authorization: `token ${admin.token}` });

  it("200: an administrator acts as the user, by header or query, whatever the case", async () => {
    expect((await ask("/user", { ...asAdmin(), sudo: "BOB" })).json.login).toBe("bob");
    expect((await ask("/user?sudo=bob", asAdmin())).json.login).toBe("bob");
    expect((await ask("/user?sudo=boss", { ...asAdmin(), sudo: "bob" })).json.login).toBe("bob");
  });

  it("403 without url: for everybody else, anonymous callers too", async () => {
    for (const headers of [{ authorization: `token ${bob.token}`, sudo: "boss" }, { sudo: "boss" }]) {
      const { status, json } = await ask("/version", headers);
      expect([status, json]).toEqual([403, { message: expect.stringContaining("administrators") }]);
    }
  });

  it("404: a name that nobody has", async () => {
    expect((await ask("/user", { ...asAdmin(), sudo: "nobody-here" })).status).toBe(404);
  });

  it("403: the rights are the user's: no administration, and no more than the token's scopes", async () => {
    const body = { username: "x", email: "x@example.com", password: "correct-horse-9" };
    const answer = await api.call("POST", "/admin/users", { headers: { ...asAdmin(), sudo: "bob" }, body });
    expect(answer.status).toBe(403);
    const token = await api.makeToken(admin, ["read:repository"]);
    const limited = await ask("/user", { authorization: `token ${token}`, sudo: "bob" });
    expect([limited.status, limited.json.message]).toEqual([403, expect.stringContaining("read:user")]);
  });

  it("things hidden from the user are 404 for the administrator who acts as them", async () => {
    await api.call("POST", "/user/repos", { as: admin, body: { name: "secret", private: true } });
    expect((await ask("/repos/boss/secret", asAdmin())).status).toBe(200);
    expect((await ask("/repos/boss/secret", { ...asAdmin(), sudo: "bob" })).status).toBe(404);
  });
});

describe("settings", () => {
  it("REQUIRE_SIGNIN_VIEW: 403 without url for anonymous callers, on every operation; git is 401", async () => {
    const shut = await makeApi({ settings: { REQUIRE_SIGNIN_VIEW: "true" } });
    const caller = await shut.makeUser({ name: "in" });
    for (const path of ["/version", "/user", "/users/in"]) {
      const { status, json } = await shut.call("GET", path);
      expect([status, json]).toEqual([403, { message: expect.any(String) }]);
      expect((await shut.call("GET", path, { as: caller })).status).toBe(200);
    }
    const headers = { authorization: `token ${caller.token}` };
    const avatar = async (init: RequestInit) =>
      (await shut.app.request(`/avatars/${"0".repeat(64)}`, init)).status;
    expect([await avatar({}), await avatar({ headers })]).toEqual([403, 404]);
    const git = createGitApp({ forge: shut.forge, resolve: createGitResolver(shut.forge) });
    const answer = await git.request("/in/nothing/info/refs?service=git-upload-pack");
    expect([answer.status, answer.headers.has("www-authenticate")]).toEqual([401, true]);
    await shut.stop();
  });

  it("ENABLE_BASIC_AUTHENTICATION=false: a password means nothing, a token as password counts (semantics §2.1)", async () => {
    const without = await makeApi({
      settings: { ENABLE_BASIC_AUTHENTICATION: "false" },
    });
    const caller = await without.makeUser({ name: "tokens-only" });
    const status = async (path: string, secret: string) =>
      (await without.call("GET", path, { headers: basic(caller.name, secret) })).status;
    expect(await status("/version", caller.password)).toBe(200);
    expect(await status("/user", caller.password)).toBe(401);
    expect(await status("/user", caller.token)).toBe(200);
    expect((await without.call("GET", "/version", { headers: basic("nonsense", "") })).status).toBe(401);
    await without.stop();
  });
});
