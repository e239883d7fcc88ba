import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { administratorsKey } from "#core/owner/owner.table";
import { basic, type Caller, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let admin: Caller;
let alice: Caller;

beforeAll(async () => {
  api = await makeApi({
    settings: { EMAIL_DOMAIN_ALLOWLIST: "*.org,example.com" },
  });
  admin = await api.makeUser({ name: "boss", isAdmin: true });
  alice = await api.makeUser({ name: "Alice" });
});
afterAll(() => api.stop());

const create = (body: object, as?: Caller) => api.call("POST", "/admin/users", { as, body });
const complete = (name: string) => ({
  username: name,
  email: `${name}@example.org`,
  password: "long enough",
});

describe("adminCreateUser", () => {
  it("201: answers the user as given", async () => {
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

  it("AUTH-1: 401 anonymous, 403 for a caller who is no administrator (D-ANON)", async () => {
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

const edit = (name: string, body: object, as: Caller | undefined = admin) =>
  api.call("PATCH", `/admin/users/${name}`, { as, body });
const logsIn = async (name: string, password: string) =>
  (await api.call("GET", "/user", { headers: basic(name, password) })).status;

describe("adminEditUser", () => {
  it("200: every field, at once and in the answer; absent ones stay", async () => {
    await api.makeUser({ name: "edit" });
    const body = {
      source_id: 0,
      login_name: "Edit@Login",
      full_name: "E. Dit",
      website: "https://e.example",
      location: "there",
      description: "text",
      pronouns: "they",
      email: "Other@Example.com",
      active: true,
      admin: true,
      restricted: true,
      visibility: "limited",
      max_repo_creation: 3,
      allow_create_organization: false,
      allow_git_hook: true,
      allow_import_local: true,
      hide_email: true,
    };
    const answer = await edit("EDIT", body);
    expect(answer.status).toBe(200);
    const shown = {
      login: "edit",
      login_name: "Edit@Login",
      full_name: "E. Dit",
      website: "https://e.example",
      location: "there",
      description: "text",
      pronouns: "they",
      email: "Other@Example.com",
      is_admin: true,
      restricted: true,
      visibility: "limited",
    };
    expect(answer.json).toMatchObject(shown);
    expect((await edit("edit", {})).json).toMatchObject(shown);
    expect((await edit("edit", { admin: false, visibility: "" })).json).toMatchObject({
      ...shown,
      is_admin: false,
    });
    const stored = await api.forge.table.get({ pk: `O#${answer.json.id}`, sk: "#" });
    expect(stored).toMatchObject({
      repositoryLimit: 3,
      mayNotCreateOrganizations: true,
      isEmailHidden: true,
    });
  });

  it("200: a new password counts at once, an empty one changes nothing, tokens stay; must_change_password has a way out", async () => {
    const user = await api.makeUser({ name: "secret" });
    expect((await edit("secret", { password: "a new password" })).status).toBe(200);
    expect((await edit("secret", { password: "" })).status).toBe(200);
    expect([await logsIn("secret", user.password), await logsIn("secret", "a new password")]).toEqual([
      401, 200,
    ]);
    expect((await api.call("GET", "/user", { as: user })).status).toBe(200);
    expect((await edit("secret", { must_change_password: true })).status).toBe(200);
    expect([
      await logsIn("secret", "a new password"),
      (await api.call("GET", "/user", { as: user })).status,
    ]).toEqual([403, 403]);
    const change = { body: { password: "yet another one" }, headers: basic("secret", "a new password") };
    expect((await api.call("PUT", "/user/password", change)).status).toBe(204);
    expect(await logsIn("secret", "yet another one")).toBe(200);
  });

  it("200: who is inactive or prohibited may do nothing from then on, by password nor token", async () => {
    const user = await api.makeUser({ name: "barred" });
    for (const [off, on] of [
      [{ active: false }, { active: true }],
      [{ prohibit_login: true }, { prohibit_login: false }],
    ] as const) {
      expect((await edit("barred", off)).json).toMatchObject(off);
      expect([
        (await api.call("GET", "/user", { as: user })).status,
        await logsIn("barred", user.password),
      ]).toEqual([403, 403]);
      await edit("barred", on);
      expect((await api.call("GET", "/user", { as: user })).status).toBe(200);
    }
  });

  it("200: what limits an account holds at once: repositories, organizations", async () => {
    const user = await api.makeUser({ name: "limited" });
    await edit("limited", { max_repo_creation: 1, allow_create_organization: false });
    const repository = (name: string) => api.call("POST", "/user/repos", { as: user, body: { name } });
    expect([(await repository("one")).status, (await repository("two")).status]).toEqual([201, 422]);
    const organization = (name: string) => api.call("POST", "/orgs", { as: user, body: { username: name } });
    expect([(await organization("limits")).status, (await organization("a b")).status]).toEqual([403, 403]);
    await edit("limited", { max_repo_creation: -1, allow_create_organization: true });
    expect([(await repository("two")).status, (await organization("limits")).status]).toEqual([201, 201]);
  });

  it("200: a new e-mail address is primary, logs in, and the former one stays among his", async () => {
    const user = await api.makeUser({ name: "mover" });
    const emails = async () =>
      (await api.call("GET", "/user/emails", { as: user })).json.map((one: { email: string }) => one.email);
    await edit("mover", { email: "Moved@example.org" });
    expect(await emails()).toEqual(["Moved@example.org", "mover@example.com"]);
    expect([
      await logsIn("moved@EXAMPLE.org", user.password),
      await logsIn("mover@example.com", user.password),
    ]).toEqual([200, 200]);
    await edit("mover", { email: "mover@example.com" });
    await edit("mover", { email: "MOVER@example.com" });
    expect(await emails()).toEqual(["MOVER@example.com", "Moved@example.org"]);
    const warned = await edit("mover", { email: "mover@elsewhere.net" });
    expect(warned.headers.get("x-gitea-warning")).toContain("elsewhere.net");
  });

  it.each([
    [{ source_id: 0 }, "login_name"],
    [{ login_name: "x" }, "source_id"],
    [{ email: "" }, "[Email]"],
    [{ email: "nobody" }, "[Email]"],
    [{ email: "BOSS@example.com" }, "already in use"],
    [{ password: "short" }, "[Password]"],
    [{ full_name: "x".repeat(101) }, "[FullName]"],
    [{ website: "ftp://x" }, "[Website]"],
    [{ visibility: "secret" }, "[Visibility]"],
    [{ max_repo_creation: -2 }, "[MaxRepoCreation]"],
    [{ active: "yes" }, "[Active]"],
  ])("422: %j, and nothing of the request is applied (D-ADMIN)", async (wrong, word) => {
    const before = (await edit("alice", {})).json;
    const answer = await edit("alice", { location: "elsewhere", ...wrong });
    expect(answer.status).toBe(422);
    expect(answer.json.message).toContain(word);
    expect((await edit("alice", {})).json).toEqual({ ...before });
  });

  it("404: nobody; 422: an organization; 401 and 403 for who is no administrator (AUTH-1, D-ANON)", async () => {
    await api.call("POST", "/orgs", { as: alice, body: { username: "guild" } });
    expect((await edit("nobody", {})).status).toBe(404);
    expect((await edit("guild", {})).status).toBe(422);
    expect((await api.call("PATCH", "/admin/users/alice", { body: {} })).status).toBe(401);
    expect((await edit("alice", {}, alice)).status).toBe(403);
  });

  it("B-06: 422 when it would leave no administrator, and nothing else is applied; the last one may be edited otherwise", async () => {
    expect((await edit("boss", { full_name: "B", admin: true })).status).toBe(200);
    const answer = await edit("boss", { admin: false, full_name: "C" });
    expect(answer.status).toBe(422);
    expect(answer.json.message).toContain("last administrator");
    expect((await api.call("GET", "/user", { as: admin })).json).toMatchObject({
      is_admin: true,
      full_name: "B",
    });
    await api.makeUser({ name: "second", isAdmin: true });
    expect((await edit("second", { admin: false })).status).toBe(200);
    expect((await edit("boss", { admin: false })).status).toBe(422);
  });

  it("B-06: of administrators who take each other's rights at the same time one stays", async () => {
    const others = [
      await api.makeUser({ name: "rival-1", isAdmin: true }),
      await api.makeUser({ name: "rival-2", isAdmin: true }),
    ];
    const all = [admin, ...others];
    const tries = all.map((one, place) =>
      edit((all[(place + 1) % all.length] as Caller).name, { admin: false }, one),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeLessThan(all.length);
    const left = await api.forge.table.get<{ pk: string; sk: string; ids: Set<number> }>(administratorsKey);
    expect(left?.ids.size).toBeGreaterThan(0);
    const chief = all.find(({ user }) => left?.ids.has(user.id)) as Caller;
    expect((await edit("boss", { admin: true }, chief)).status).toBe(200);
    for (const { name } of others) await edit(name, { admin: false });
    expect((await api.forge.table.get(administratorsKey))?.ids).toEqual(new Set([admin.user.id]));
  });

  it("of several edits at the same time each is done whole", async () => {
    await api.makeUser({ name: "busy" });
    const bodies = [
      { full_name: "F" },
      { location: "L" },
      { website: "https://w.example" },
      { pronouns: "p" },
    ];
    const answers = await Promise.all(bodies.map((body) => edit("busy", body)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await edit("busy", {})).json).toMatchObject(Object.assign({}, ...bodies));
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

  it("422: an order that does not exist; 401 and 403 for who is no administrator", async () => {
    expect((await api.call("GET", "/admin/users?sort=size", { as: admin })).status).toBe(422);
    expect((await api.call("GET", "/admin/users")).status).toBe(401);
    expect((await api.call("GET", "/admin/users", { as: alice })).status).toBe(403);
  });
});

describe("adminRenameUser", () => {
  const rename = (name: string, next: string) =>
    api.call("POST", `/admin/users/${name}/rename`, { as: admin, body: { new_username: next } });

  it("204: everything of his is under the new name, the former one leads there by 307, and nobody logs in by it", async () => {
    const user = await api.makeUser({ name: "before" });
    await api.call("POST", "/user/repos", { as: user, body: { name: "thing" } });
    expect((await rename("before", "After")).status).toBe(204);
    expect((await api.call("GET", "/user", { as: user })).json.login).toBe("After");
    expect((await api.call("GET", "/repos/after/thing")).json.full_name).toBe("After/thing");
    for (const [path, to] of [
      ["/users/BEFORE", "/users/After"],
      ["/users/before/repos?limit=3", "/users/After/repos?limit=3"],
      ["/repos/before/thing", "/repos/After/thing"],
    ]) {
      const moved = await api.call("GET", path as string, { as: user });
      expect([moved.status, moved.headers.get("location")]).toEqual([
        307,
        `http://127.0.0.1:3000/api/v1${to}`,
      ]);
    }
    expect([await logsIn("before", user.password), await logsIn("after", user.password)]).toEqual([401, 200]);
    const shown = await api.call("GET", "/users/search?q=before");
    expect(shown.json.data).toEqual([]);
  });

  it("204: by a change of case alone, and back to a name that was his", async () => {
    await api.makeUser({ name: "camel" });
    expect((await rename("camel", "CaMel")).status).toBe(204);
    expect((await api.call("GET", "/users/camel")).json.login).toBe("CaMel");
    expect([(await rename("camel", "horse")).status, (await rename("horse", "camel")).status]).toEqual([
      204, 204,
    ]);
    expect((await api.call("GET", "/users/camel")).json.login).toBe("camel");
  });

  it("204: who takes a former name ends its redirect", async () => {
    await api.makeUser({ name: "old-name" });
    await rename("old-name", "new-name");
    const other = await api.makeUser({ name: "old-name", email: "another@example.com" });
    expect((await api.call("GET", "/users/old-name")).json.id).toBe(other.user.id);
  });

  it("of several who are renamed to one name at the same time one gets it", async () => {
    const names = ["racer-a", "racer-b", "racer-c"];
    for (const name of names) await api.makeUser({ name });
    const statuses = (await Promise.all(names.map((name) => rename(name, "winner")))).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual([204, 422, 422]);
  });

  it.each(["boss", "GUILD", "Ghost", "x.png", "a--b", "x".repeat(41), "аlice", ""])(
    "422: %j",
    async (next) => {
      expect((await rename("alice", next)).status).toBe(422);
      expect((await api.call("GET", "/users/alice")).json.login).toBe("Alice");
    },
  );

  it("404: nobody; 422: an organization; 401 and 403 for who is no administrator", async () => {
    expect((await rename("nobody", "somebody")).status).toBe(404);
    expect((await rename("guild", "somebody")).status).toBe(422);
    const path = "/admin/users/alice/rename";
    expect((await api.call("POST", path, { body: { new_username: "x" } })).status).toBe(401);
    expect((await api.call("POST", path, { as: alice, body: { new_username: "x" } })).status).toBe(403);
  });
});

describe("adminCreateRepo", () => {
  const make = (name: string, body: object, as: Caller | undefined = admin) =>
    api.call("POST", `/admin/users/${name}/repos`, { as, body });

  it("201: it is the user's, whatever his own limit", async () => {
    await edit("alice", { max_repo_creation: 0 });
    const answer = await make("alice", { name: "given", private: true });
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({ full_name: "Alice/given", private: true });
    expect((await api.call("GET", "/repos/alice/given", { as: alice })).json.permissions.admin).toBe(true);
  });

  it("409: the name again; 422: a name that can't be; 404: nobody; 401 and 403 for who is no administrator", async () => {
    expect((await make("alice", { name: "GIVEN" })).status).toBe(409);
    expect((await make("alice", { name: "a/b" })).status).toBe(422);
    expect((await make("nobody", { name: "x" })).status).toBe(404);
    expect((await make("alice", { name: "x" }, alice)).status).toBe(403);
    expect((await api.call("POST", "/admin/users/alice/repos", { body: { name: "x" } })).status).toBe(401);
  });
});
