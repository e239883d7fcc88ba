import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { administratorsKey } from "#core/owner/owner.table";
import { basic, type Caller, makeApi, type TestApi } from "#tests/support/api";
import { holdTimeStill } from "#tests/support/still-time";

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

  it("200: a new e-mail address is primary, logs in, and the former one stays among the user's", async () => {
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

  it("404: nobody; 422: an organization; 401 and 403 for everybody but administrators (AUTH-1, D-ANON)", async () => {
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
    holdTimeStill();
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

describe("adminRenameUser", () => {
  const rename = (name: string, next: string) =>
    api.call("POST", `/admin/users/${name}/rename`, { as: admin, body: { new_username: next } });

  it("204: everything of the user's is under the new name, the former one leads there by 307, and nobody logs in by it", async () => {
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

  it("204: by a change of case alone, and back to a former name of the user's", async () => {
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

  it("404: nobody; 422: an organization; 401 and 403 for everybody but administrators", async () => {
    expect((await rename("nobody", "somebody")).status).toBe(404);
    expect((await rename("guild", "somebody")).status).toBe(422);
    const path = "/admin/users/alice/rename";
    expect((await api.call("POST", path, { body: { new_username: "x" } })).status).toBe(401);
    expect((await api.call("POST", path, { as: alice, body: { new_username: "x" } })).status).toBe(403);
  });
});
