import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let admin: Caller;
let alice: Caller;

beforeAll(async () => {
  api = await makeApi({
    settings: { EMAIL_DOMAIN_ALLOWLIST: "*.org,example.com" },
  });
  admin = await api.makeUser({ name: "boss", isAdmin: true });
  alice = await api.makeUser({ name: "Alice" });
  await api.call("POST", "/orgs", { as: alice, body: { username: "guild" } });
});
afterAll(() => api.stop());

const create = (body: object, as?: Caller) => api.call("POST", "/admin/users", { as, body });
const complete = (name: string) => ({
  username: name,
  email: `${name}@example.org`,
  password: "long enough",
});

describe("adminCreateUser", () => {
  it("201: answers the user as given (FLD-CreateUserOption.email, RES-User)", async () => {
    const answer = await create({ ...complete("Carol"), full_name: "Carol C", visibility: "limited" }, admin);
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({
      login: "Carol",
      username: "Carol",
      full_name: "Carol C",
      email: "Carol@example.org",
      visibility: "limited",
      is_admin: false,
      active: true,
    });
    expect(answer.json.id).toBeGreaterThan(0);
  });

  it("201: the account is there at once, under any case of its name", async () => {
    await create(complete("dora"), admin);
    expect((await api.call("GET", "/users/DORA")).json.login).toBe("dora");
  });

  it("201: created_at may lie in the past", async () => {
    const answer = await create({ ...complete("erin"), created_at: "2019-05-04T10:00:00+02:00" }, admin);
    expect(answer.json.created).toBe("2019-05-04T08:00:00Z");
  });

  it("201: a domain that is not on the list is taken from an administrator, who is warned; send_notify is taken", async () => {
    const odd = { ...complete("oda"), email: "oda@elsewhere.net", send_notify: true };
    const answer = await create(odd, admin);
    expect(answer.status).toBe(201);
    expect(answer.headers.get("x-gitea-warning")).toContain("elsewhere.net");
    expect((await create(complete("olaf"), admin)).headers.has("x-gitea-warning")).toBe(false);
  });

  it("AUTH-1: 401 anonymous, 403 for a caller who is no administrator (ERR-403, D-ANON)", async () => {
    expect((await create(complete("frank"))).status).toBe(401);
    expect((await create(complete("frank"), alice)).status).toBe(403);
  });

  it("403: an administrator's token without the admin scope, and the message names it", async () => {
    const token = await api.makeToken(admin, ["write:user"]);
    const answer = await api.call("POST", "/admin/users", {
      body: complete("frank"),
      headers: { authorization: `token ${token}` },
    });
    expect(answer.status).toBe(403);
    expect(answer.json.message).toContain("write:admin");
  });

  it("422: a name or an address that is taken, whatever its case (D-ADMIN)", async () => {
    expect((await create({ ...complete("ALICE") }, admin)).json.message).toContain("user already exists");
    const sameEmail = { ...complete("alice2"), email: "ALICE@EXAMPLE.COM" };
    const answer = await create(sameEmail, admin);
    expect(answer.status).toBe(422);
    expect(answer.json.message).toContain("e-mail already in use");
  });

  it.each([
    ["bad name!", "Username"],
    ["-x", "Username"],
    ["x-", "Username"],
    ["a--b", "Username"],
    ["a".repeat(41), "Username"],
    ["", "Username"],
    ["admin", "reserved"],
    ["Ghost", "reserved"],
    ["x.keys", "reserved"],
    ["ünïcode", "Username"],
    ["аdmin", "Username"],
    ["ＡＤＭＩＮ", "Username"],
    ["\u212Aeys", "Username"],
    ["a\u0000b", "NUL"],
  ])("422: the name %j is refused and the message says %s", async (name, word) => {
    const answer = await create({ ...complete("grace"), username: name }, admin);
    expect(answer.status).toBe(422);
    expect(answer.json.message).toContain(word);
  });

  it.each([
    [{ email: undefined }, "[Email]: Required"],
    [{ email: "nobody" }, "[Email]"],
    [{ email: "a b@example.org" }, "[Email]"],
    [{ password: undefined }, "[Password]: Required"],
    [{ password: "short" }, "[Password]"],
    [{ full_name: "x".repeat(101) }, "[FullName]: MaxSize"],
    [{ visibility: "secret" }, "[Visibility]: In"],
  ])("422: %j", async (change, expected) => {
    const answer = await create({ ...complete("heidi"), ...change }, admin);
    expect(answer.status).toBe(422);
    expect(answer.json.message).toContain(expected);
  });

  it("an account that must change its password can't use the API until then", async () => {
    await create(complete("ivan"), admin);
    const basic = { authorization: `Basic ${Buffer.from("ivan:long enough").toString("base64")}` };
    const answer = await api.call("GET", "/user", { headers: basic });
    expect(answer.status).toBe(403);
    expect(answer.json.message).toContain("password");
  });

  it("of ten that race for one name, one wins", async () => {
    const tries = Array.from({ length: 10 }, (_, index) =>
      create({ ...complete("racer"), email: `racer${index}@example.org` }, admin),
    );
    const statuses = (await Promise.all(tries)).map((answer) => answer.status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 9 }, () => 422)]);
  });
});

describe("adminSearchUsers", () => {
  it("200: every account with its private fields, by name or as asked, in pages with the total", async () => {
    const all = await api.call("GET", "/admin/users?limit=50", { as: admin });
    const names: string[] = all.json.map(({ login }: { login: string }) => login.toLowerCase());
    expect(names).toEqual([...names].sort());
    expect(Number(all.headers.get("x-total-count"))).toBe(names.length);
    expect(all.json.find(({ login }: { login: string }) => login === "boss")).toMatchObject({
      is_admin: true,
    });
    expect(names).not.toContain("guild");
    const oldest = await api.call("GET", "/admin/users?sort=newest&limit=2&page=1", { as: admin });
    expect(oldest.json).toHaveLength(2);
    expect(oldest.headers.get("link")).toContain('rel="next"');
  });

  it("200: those of a login source, or of a name there in any case", async () => {
    const bound = await makeApi({ settings: { LDAP_URL: "ldap://127.0.0.1:9", LDAP_USER_DN: "uid=%s" } });
    const as = await bound.makeUser({ name: "boss", isAdmin: true });
    const body = { ...complete("directory"), source_id: 1, login_name: "uid=Dora" };
    expect((await bound.call("POST", "/admin/users", { as, body })).status).toBe(201);
    const found = async (query: string) =>
      (await bound.call("GET", `/admin/users?${query}`, { as })).json.map(
        (one: { login: string }) => one.login,
      );
    expect(await found("source_id=1")).toEqual(["directory"]);
    expect(await found("login_name=UID%3Ddora")).toEqual(["directory"]);
    expect(await found("source_id=1&login_name=dora")).toEqual([]);
    expect(await found("source_id=0")).toEqual(["boss"]);
    await bound.stop();
  });

  it("422: an order that does not exist; 401 and 403 for everybody but administrators", async () => {
    expect((await api.call("GET", "/admin/users?sort=size", { as: admin })).status).toBe(422);
    expect((await api.call("GET", "/admin/users")).status).toBe(401);
    expect((await api.call("GET", "/admin/users", { as: alice })).status).toBe(403);
  });
});

describe("adminCreateRepo", () => {
  const make = (name: string, body: object, as: Caller | undefined = admin) =>
    api.call("POST", `/admin/users/${name}/repos`, { as, body });

  it("201: it is the user's, whatever their own limit", async () => {
    await api.call("PATCH", "/admin/users/alice", { as: admin, body: { max_repo_creation: 0 } });
    const answer = await make("alice", { name: "given", private: true });
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({ full_name: "Alice/given", private: true });
    expect((await api.call("GET", "/repos/alice/given", { as: alice })).json.permissions.admin).toBe(true);
  });

  it("201: an organization's name makes it the owner, a former one is sent on (D-ADMINREPO)", async () => {
    await api.call("POST", "/orgs", { as: alice, body: { username: "workshop" } });
    const { status, json } = await make("workshop", { name: "tools", auto_init: true });
    expect([status, json.full_name, json.owner.login]).toEqual([201, "workshop/tools", "workshop"]);
    expect((await api.call("GET", "/repos/workshop/tools", { as: alice })).json.permissions.admin).toBe(true);
    expect((await make("workshop", { name: "TOOLS" })).status).toBe(409);
    expect((await make("ghost", { name: "x" })).status).toBe(404);
    await api.call("POST", "/orgs/workshop/rename", { as: alice, body: { new_name: "atelier" } });
    expect((await make("workshop", { name: "x" })).status).toBe(307);
  });

  it("409: the name again; 422: a name that can't be; 404: nobody; 401 and 403 for everybody but administrators", async () => {
    expect((await make("alice", { name: "GIVEN" })).status).toBe(409);
    expect((await make("alice", { name: "a/b" })).status).toBe(422);
    expect((await make("nobody", { name: "x" })).status).toBe(404);
    expect((await make("alice", { name: "x" }, alice)).status).toBe(403);
    expect((await api.call("POST", "/admin/users/alice/repos", { body: { name: "x" } })).status).toBe(401);
  });
});
