import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { tableRequests } from "../repository/costs.ts";
import { finishJobs, join, makeOrganization, makeRepository, makeTeam, namesIn } from "./make.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let boss: Caller;
let shut: Caller;

beforeAll(async () => {
  api = await makeApi({ settings: { PASSWORD_HASH_COST: "10" } });
  [alice, bob, boss, shut] = [
    await api.makeUser({ name: "alice" }),
    await api.makeUser({ name: "bob" }),
    await api.makeUser({ name: "boss", isAdmin: true }),
    await api.makeUser({ name: "shut", isRestricted: true }),
  ];
  await makeOrganization(api, alice, "Acme", { email: "us@acme.example", description: "anvils" });
  await makeOrganization(api, alice, "half", { visibility: "limited" });
  await makeOrganization(api, alice, "cloak", { visibility: "private" });
});
afterAll(() => api.stop());

describe("orgCreate", () => {
  it("201: the caller is its owner, through the team Owners", async () => {
    const json = await makeOrganization(api, bob, "bobs", { full_name: "Bob's", location: "here" });
    expect(json).toMatchObject({
      name: "bobs",
      username: "bobs",
      full_name: "Bob's",
      location: "here",
      visibility: "public",
      repo_admin_change_team_access: false,
    });
    const teams = await api.call("GET", "/orgs/bobs/teams", { as: bob });
    expect(teams.json).toMatchObject([
      {
        name: "Owners",
        permission: "owner",
        includes_all_repositories: true,
        can_create_org_repo: true,
        organization: null,
      },
    ]);
    const members = await api.call("GET", `/teams/${teams.json[0].id}/members`, { as: bob });
    expect(namesIn(members)).toEqual(["bob"]);
    expect(namesIn(await api.call("GET", "/user/orgs", { as: bob }))).toEqual(["bobs"]);
  });

  it.each([
    ["a user's name", "alice"],
    ["a user's name in another case", "ALICE"],
    ["an organization's name in another case", "aCME"],
    ["a reserved name", "admin"],
    ["a reserved ending", "x.keys"],
    ["a look-alike of a reserved name", "аdmin"],
    ["dots in a row", "a..b"],
    ["a slash", "a/b"],
    ["more than 40 characters", "x".repeat(41)],
    ["nothing", ""],
  ])("422: %s", async (_what, username) => {
    const { status, json } = await api.call("POST", "/orgs", { as: bob, body: { username } });
    expect(status).toBe(422);
    expect(json.message).not.toBe("");
  });

  it.each([
    [{ full_name: "x".repeat(101) }, "FullName"],
    [{ description: "x".repeat(256) }, "Description"],
    [{ website: "javascript:alert(1)" }, "Website"],
    [{ location: "x".repeat(51) }, "Location"],
    [{ email: "x".repeat(256) }, "Email"],
    [{ visibility: "secret" }, "Visibility"],
  ])("422: %j", async (more, field) => {
    const { status, json } = await api.call("POST", "/orgs", {
      as: bob,
      body: { username: "fine", ...more },
    });
    expect(status).toBe(422);
    expect(json.message).toContain(field);
  });

  it("422: a user can't be named like an organization", async () => {
    const body = { username: "ACME", email: "acme@example.com", password: "long-enough" };
    expect((await api.call("POST", "/admin/users", { as: boss, body })).status).toBe(422);
  });

  it("201, once: of many who want one name, users among them, one gets it", async () => {
    const wanted = Array.from({ length: 6 }, (_, at) =>
      at % 2 === 0
        ? api.call("POST", "/orgs", { as: alice, body: { username: at === 0 ? "Race" : "race" } })
        : api.call("POST", "/admin/users", {
            as: boss,
            body: { username: "race", email: `race${at}@example.com`, password: "long-enough" },
          }),
    );
    const statuses = (await Promise.all(wanted)).map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 422, 422, 422, 422, 422]);
  });

  it("401: anonymous callers", async () => {
    expect((await api.call("POST", "/orgs", { body: { username: "x" } })).status).toBe(401);
  });

  it("403: a token without the scope, naming it", async () => {
    const token = await api.makeToken(alice, ["read:organization"]);
    const { status, json } = await api.call("POST", "/orgs", {
      as: { ...alice, token },
      body: { username: "x" },
    });
    expect(status).toBe(403);
    expect(json.message).toContain("write:organization");
  });
});

describe("adminCreateOrg", () => {
  it("201: the named user becomes its owner, the administrator does not (OP-adminCreateOrg)", async () => {
    const { status } = await api.call("POST", "/admin/users/bob/orgs", {
      as: boss,
      body: { username: "given" },
    });
    expect(status).toBe(201);
    expect(namesIn(await api.call("GET", "/orgs/given/members", { as: boss }))).toEqual(["bob"]);
    expect((await api.call("DELETE", "/orgs/given", { as: bob })).status).toBe(204);
  });

  it("403 for others, 404 for an unknown user, 422 for a bad name", async () => {
    const create = (as: Caller, user: string, username: string) =>
      api.call("POST", `/admin/users/${user}/orgs`, { as, body: { username } });
    expect((await create(alice, "bob", "x1")).status).toBe(403);
    expect((await create(boss, "nobody", "x1")).status).toBe(404);
    expect((await create(boss, "bob", "org")).status).toBe(422);
  });
});

describe("orgGet", () => {
  const status = async (name: string, as?: Caller) => (await api.call("GET", `/orgs/${name}`, { as })).status;

  it("200: name in any case; the e-mail address for signed-in callers only (OP-orgGet)", async () => {
    const { json } = await api.call("GET", "/orgs/aCmE", { as: bob });
    expect(json).toMatchObject({ name: "Acme", email: "us@acme.example", description: "anvils" });
    expect((await api.call("GET", "/orgs/acme")).json.email).toBe("");
  });

  it("404: who may not know of it, worded as though absent (D-HIDDEN)", async () => {
    expect(await status("half")).toBe(404);
    expect(await status("half", bob)).toBe(200);
    expect(await status("cloak", bob)).toBe(404);
    expect(await status("cloak")).toBe(404);
    expect(await status("cloak", alice)).toBe(200);
    expect(await status("cloak", boss)).toBe(200);
    const hidden = (await api.call("GET", "/orgs/cloak", { as: bob })).json.message;
    const absent = (await api.call("GET", "/orgs/clock", { as: bob })).json.message;
    expect(hidden.replace("cloak", "")).toBe(absent.replace("clock", ""));
    expect(await status("alice", boss)).toBe(404);
  });

  it("404: restricted users see only organizations that they belong to", async () => {
    expect(await status("acme", shut)).toBe(404);
    const team = await makeTeam(api, alice, "acme", "shut-in");
    await join(api, alice, team, shut);
    expect(await status("acme", shut)).toBe(200);
    expect(await status("half", shut)).toBe(404);
    await api.call("DELETE", `/teams/${team}`, { as: alice });
    expect(await status("acme", shut)).toBe(404);
  });

  it("403: a public-only token where the organization is not public", async () => {
    const token = await api.makeToken(alice, ["public-only", "read:organization"]);
    expect(await status("cloak", { ...alice, token })).toBe(403);
    expect(await status("acme", { ...alice, token })).toBe(200);
    const listed = await api.call("GET", "/orgs", { as: { ...alice, token } });
    expect(namesIn(listed)).not.toContain("cloak");
  });

  it("costs 3 requests with a token, 2 without, for hidden ones as for absent ones", async () => {
    expect(tableRequests(await api.call("GET", "/orgs/acme", { as: alice }))).toBe(3);
    expect(tableRequests(await api.call("GET", "/orgs/acme"))).toBe(2);
  });
});

describe("orgGetAll", () => {
  it("200: what the caller may see, by name, paged", async () => {
    const names = async (as?: Caller) =>
      namesIn(await api.call("GET", "/orgs", { as })).filter((one) =>
        ["Acme", "half", "cloak"].includes(one),
      );
    expect(await names()).toEqual(["Acme"]);
    expect(await names(bob)).toEqual(["Acme", "half"]);
    expect(await names(alice)).toEqual(["Acme", "cloak", "half"]);
    expect(await names(boss)).toEqual(["Acme", "cloak", "half"]);
    expect(await names(shut)).toEqual([]);
    const { headers, json } = await api.call("GET", "/orgs?limit=1");
    expect(json).toHaveLength(1);
    expect(Number(headers.get("x-total-count"))).toBeGreaterThan(0);
  });
});

describe("adminGetAllOrgs", () => {
  it("200: all of them; 403 for others; 401 for anonymous callers", async () => {
    expect(namesIn(await api.call("GET", "/admin/orgs", { as: boss }))).toContain("cloak");
    expect((await api.call("GET", "/admin/orgs", { as: alice })).status).toBe(403);
    expect((await api.call("GET", "/admin/orgs")).status).toBe(401);
  });
});

describe("orgEdit", () => {
  const edit = (as: Caller | undefined, body: object, name = "acme") =>
    api.call("PATCH", `/orgs/${name}`, { as, body });

  it("200: absent fields stay, empty texts are taken (OP-orgEdit)", async () => {
    const first = await edit(alice, { website: "https://acme.example", repo_admin_change_team_access: true });
    expect(first.json).toMatchObject({
      description: "anvils",
      website: "https://acme.example",
      repo_admin_change_team_access: true,
    });
    expect((await edit(alice, { website: "" })).json).toMatchObject({ website: "", description: "anvils" });
    await edit(alice, { repo_admin_change_team_access: false });
  });

  it("200: visibility holds at once, in lists too", async () => {
    await makeOrganization(api, alice, "shifty");
    const see = async () => [
      (await api.call("GET", "/orgs/shifty", { as: bob })).status,
      namesIn(await api.call("GET", "/orgs", { as: bob })).includes("shifty"),
    ];
    expect(await see()).toEqual([200, true]);
    await edit(alice, { visibility: "private" }, "shifty");
    expect(await see()).toEqual([404, false]);
    await edit(alice, { visibility: "" }, "shifty");
    expect(await see()).toEqual([404, false]);
  });

  it("200: edits at once keep each other", async () => {
    await Promise.all([
      edit(alice, { location: "moon" }),
      edit(alice, { full_name: "Acme Inc." }),
      edit(boss, { email: "new@acme.example" }),
    ]);
    const { json } = await api.call("GET", "/orgs/acme", { as: alice });
    expect(json).toMatchObject({ location: "moon", full_name: "Acme Inc.", email: "new@acme.example" });
  });

  it("401, 403, 404, 422", async () => {
    expect((await edit(undefined, {})).status).toBe(401);
    expect((await edit(bob, {})).status).toBe(403);
    expect((await edit(bob, {}, "cloak")).status).toBe(404);
    expect((await edit(undefined, {}, "cloak")).status).toBe(404);
    expect((await edit(alice, { website: "nowhere" })).status).toBe(422);
  });
});

describe("renameOrg", () => {
  const rename = (as: Caller | undefined, from: string, to: string) =>
    api.call("POST", `/orgs/${from}/rename`, { as, body: { new_name: to } });

  it("204: the former name leads to it by 307 with the query kept, until somebody takes it", async () => {
    await makeOrganization(api, alice, "before");
    const repository = await makeRepository(api, alice, "before", "wares");
    expect((await rename(alice, "before", "After")).status).toBe(204);
    expect((await api.call("GET", "/orgs/after")).json.name).toBe("After");
    const moved = await api.call("GET", "/orgs/BEFORE?x=1&y=a%20b");
    expect(moved.status).toBe(307);
    expect(moved.headers.get("location")).toBe("http://127.0.0.1:3000/api/v1/orgs/After?x=1&y=a%20b");
    const inside = await api.call("GET", "/repos/before/wares/branches");
    expect(inside.status).toBe(307);
    expect(inside.headers.get("location")).toMatch(/\/api\/v1\/repos\/After\/wares\/branches$/);
    expect((await api.call("GET", `/repositories/${repository.id}`, { as: bob })).json.full_name).toBe(
      "After/wares",
    );
    await makeOrganization(api, bob, "before");
    expect((await api.call("GET", "/orgs/before")).status).toBe(200);
    expect((await api.call("GET", "/repos/before/wares")).status).toBe(404);
    expect((await rename(alice, "after", "before")).status).toBe(422);
  });

  it("204: only the case changes", async () => {
    await makeOrganization(api, alice, "casing");
    expect((await rename(alice, "casing", "CaSiNg")).status).toBe(204);
    expect((await api.call("GET", "/orgs/casing")).json.name).toBe("CaSiNg");
  });

  it("204: there and back again", async () => {
    await makeOrganization(api, alice, "there");
    expect((await rename(alice, "there", "away")).status).toBe(204);
    expect((await rename(alice, "away", "there")).status).toBe(204);
    expect((await api.call("GET", "/orgs/there")).status).toBe(200);
    expect((await api.call("GET", "/orgs/away")).status).toBe(307);
    const body = { username: "away", email: "away@example.com", password: "long-enough" };
    expect((await api.call("POST", "/admin/users", { as: boss, body })).status).toBe(201);
  });

  it("404: a redirect does not tell of what is hidden (B-18)", async () => {
    await makeOrganization(api, alice, "veil", { visibility: "private" });
    expect((await rename(alice, "veil", "mask")).status).toBe(204);
    expect((await api.call("GET", "/orgs/veil", { as: bob })).status).toBe(404);
    expect((await api.call("GET", "/orgs/veil", { as: alice })).status).toBe(307);
  });

  it("401, 403, 404, 422", async () => {
    expect((await rename(undefined, "acme", "x9")).status).toBe(401);
    expect((await rename(bob, "acme", "x9")).status).toBe(403);
    expect((await rename(bob, "cloak", "x9")).status).toBe(404);
    expect((await rename(alice, "acme", "bob")).status).toBe(422);
    expect((await rename(alice, "acme", "half")).status).toBe(422);
    expect((await rename(alice, "acme", "x y")).status).toBe(422);
    expect((await rename(alice, "acme", "")).status).toBe(422);
  });
});

describe("orgDelete", () => {
  const remove = (as: Caller | undefined, name: string) => api.call("DELETE", `/orgs/${name}`, { as });

  it("204: gone at once for everybody, its name free, and nothing of it left after its job", async () => {
    const { id } = await makeOrganization(api, alice, "brief");
    await api.call("POST", "/orgs/brief/rename", { as: alice, body: { new_name: "short" } });
    const team = await makeTeam(api, alice, "short", "crew");
    await join(api, alice, team, bob);
    expect((await remove(alice, "short")).status).toBe(204);
    expect((await api.call("GET", "/orgs/short", { as: alice })).status).toBe(404);
    expect((await api.call("GET", "/orgs/brief", { as: alice })).status).toBe(404);
    expect((await api.call("GET", `/teams/${team}`, { as: alice })).status).toBe(404);
    expect(namesIn(await api.call("GET", "/user/orgs", { as: bob }))).not.toContain("short");
    expect(namesIn(await api.call("GET", "/orgs", { as: boss }))).not.toContain("short");
    await finishJobs(api);
    const rows = await api.forge.table.queryAll({ pk: `U#${bob.user.id}`, prefix: "ORG#" });
    expect(rows.map(({ organizationId }) => organizationId)).not.toContain(id);
    expect(await api.forge.table.queryAll({ pk: `O#${id}` })).toEqual([]);
    expect(await api.forge.table.queryAll({ pk: `TEAM#${team}` })).toEqual([]);
    await makeOrganization(api, bob, "short");
    await makeOrganization(api, bob, "brief");
    expect((await remove(bob, "short")).status).toBe(204);
    expect((await remove(bob, "brief")).status).toBe(204);
  });

  it("204: its job goes on wherever it was killed", async () => {
    const { id } = await makeOrganization(api, alice, "crashing");
    const made = [
      await makeTeam(api, alice, "crashing", "one"),
      await makeTeam(api, alice, "crashing", "two"),
    ];
    for (const team of made) await join(api, alice, team, bob);
    expect((await remove(alice, "crashing")).status).toBe(204);
    for (let write = 1; write <= 10; write += 1) {
      api.faults.crashAt(write, write % 2 === 0 ? "before" : "after");
      await finishJobs(api).catch(() => undefined);
      api.faults.recover();
      api.clock.advance(3_600_000);
    }
    await finishJobs(api);
    const partitions = [`O#${id}`, ...made.map((team) => `TEAM#${team}`)];
    const left = await Promise.all(partitions.map((pk) => api.forge.table.queryAll({ pk })));
    expect(left.flat()).toEqual([]);
    const rows = await api.forge.table.queryAll({ pk: `U#${bob.user.id}`, prefix: "ORG#" });
    expect(rows.map(({ organizationId }) => organizationId)).not.toContain(id);
  });

  it("422: it owns a repository; 204 once that is gone", async () => {
    await makeOrganization(api, alice, "landlord");
    await makeRepository(api, alice, "landlord", "house");
    expect((await remove(alice, "landlord")).status).toBe(422);
    expect((await api.call("DELETE", "/repos/landlord/house", { as: alice })).status).toBe(204);
    expect((await remove(alice, "landlord")).status).toBe(204);
  });

  it("204 or 201, never both: deleting races with the creation of a repository", async () => {
    for (let round = 0; round < 8; round += 1) {
      const name = `race-${round}`;
      await makeOrganization(api, alice, name);
      const [removed, created] = await Promise.all([
        remove(alice, name),
        api.call("POST", `/orgs/${name}/repos`, {
          as: alice,
          body: { name: "r", auto_init: round % 2 === 0 },
        }),
      ]);
      expect([204, 409, 422]).toContain(removed.status);
      expect([201, 404, 409]).toContain(created.status);
      expect(removed.status === 204 && created.status === 201).toBe(false);
      const left = (await api.call("GET", `/repos/${name}/r`, { as: alice })).status;
      expect(left).toBe(created.status === 201 ? 200 : 404);
    }
  });

  it("201: a deletion that was broken off does not keep repositories away for good", async () => {
    const { id } = await makeOrganization(api, alice, "limbo");
    const deletion = { id: "broken", until: api.clock.now() + 30_000 };
    const key = { pk: `O#${id}`, sk: "#" };
    await api.forge.table.write({ update: key, changes: { set: { deletion } } });
    const create = () => api.call("POST", "/orgs/limbo/repos", { as: alice, body: { name: "r" } });
    expect((await create()).status).toBe(409);
    api.clock.advance(31_000);
    expect((await create()).status).toBe(201);
  });

  it("401, 403, 404", async () => {
    expect((await remove(undefined, "acme")).status).toBe(401);
    expect((await remove(bob, "acme")).status).toBe(403);
    expect((await remove(bob, "cloak")).status).toBe(404);
    expect((await remove(alice, "nothing")).status).toBe(404);
  });
});

const picture = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(40, 1)]);

describe("orgUpdateAvatar", () => {
  const set = (as: Caller | undefined, image: string) =>
    api.call("POST", "/orgs/acme/avatar", { as, body: { image } });

  it("204: the picture is served under the address that the organization then shows", async () => {
    const before = (await api.call("GET", "/orgs/acme")).json.avatar_url;
    expect((await set(alice, picture.toString("base64"))).status).toBe(204);
    const after = (await api.call("GET", "/orgs/acme")).json.avatar_url;
    expect(after).not.toBe(before);
    const answer = await api.app.request(new URL(after).pathname);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("image/png");
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(picture);
  });

  it.each([
    ["no base64", "***"],
    ["nothing", ""],
    ["a drawing that browsers run", Buffer.from("<svg onload='x()'/>").toString("base64")],
    ["over 1 MiB", Buffer.concat([picture, Buffer.alloc(1024 * 1024)]).toString("base64")],
  ])("422: %s", async (_what, image) => {
    expect((await set(alice, image)).status).toBe(422);
  });

  it("401, 403", async () => {
    expect((await set(undefined, picture.toString("base64"))).status).toBe(401);
    expect((await set(bob, picture.toString("base64"))).status).toBe(403);
  });
});

describe("orgDeleteAvatar", () => {
  it("204: back to what it was; 403 for others", async () => {
    const fresh = await makeOrganization(api, alice, "faces");
    await api.call("POST", "/orgs/faces/avatar", { as: alice, body: { image: picture.toString("base64") } });
    expect((await api.call("DELETE", "/orgs/faces/avatar", { as: bob })).status).toBe(403);
    expect((await api.call("DELETE", "/orgs/faces/avatar", { as: alice })).status).toBe(204);
    expect((await api.call("GET", "/orgs/faces")).json.avatar_url).toBe(fresh.avatar_url);
  });

  it("404: no such picture", async () => {
    expect((await api.app.request(`/avatars/${"0".repeat(64)}`)).status).toBe(404);
    expect((await api.app.request("/avatars/..%2fr")).status).toBe(404);
  });
});

describe("orgListCurrentUserOrgs", () => {
  it("200: hidden ones too; 401 for anonymous callers", async () => {
    expect(namesIn(await api.call("GET", "/user/orgs", { as: alice }))).toEqual(
      expect.arrayContaining(["Acme", "half", "cloak"]),
    );
    expect((await api.call("GET", "/user/orgs")).status).toBe(401);
  });
});

describe("orgListUserOrgs", () => {
  it("200: to others only where the user shows it and they may know of it", async () => {
    const dora = await api.makeUser({ name: "dora" });
    for (const name of ["dora-open", "dora-shut", "dora-quiet"]) {
      await makeOrganization(api, dora, name, { visibility: name === "dora-shut" ? "private" : "public" });
      if (name !== "dora-quiet") await api.call("PUT", `/orgs/${name}/public_members/dora`, { as: dora });
    }
    const seen = async (as: Caller) => namesIn(await api.call("GET", "/users/dora/orgs", { as }));
    expect(await seen(bob)).toEqual(["dora-open"]);
    expect(await seen(dora)).toEqual(["dora-open", "dora-shut", "dora-quiet"]);
    expect(await seen(boss)).toEqual(["dora-open", "dora-shut", "dora-quiet"]);
    expect((await api.call("GET", "/users/dora/orgs")).status).toBe(401);
    expect((await api.call("GET", "/users/nobody/orgs", { as: bob })).status).toBe(404);
  });
});

describe("orgGetUserPermissions", () => {
  const ask = (as: Caller | undefined, user: string, name = "acme") =>
    api.call("GET", `/users/${user}/orgs/${name}/permissions`, { as });

  it("200: what the teams of the user come to", async () => {
    const none = {
      can_read: false,
      can_write: false,
      is_admin: false,
      is_owner: false,
      can_create_repository: false,
    };
    const all = {
      can_read: true,
      can_write: true,
      is_admin: true,
      is_owner: true,
      can_create_repository: true,
    };
    expect((await ask(alice, "alice")).json).toEqual(all);
    expect((await ask(bob, "bob")).json).toEqual(none);
    const team = await makeTeam(api, alice, "acme", "makers", {
      units_map: { "repo.code": "read", "repo.issues": "write" },
      can_create_org_repo: true,
    });
    await join(api, alice, team, bob);
    expect((await ask(bob, "bob")).json).toEqual({
      ...none,
      can_read: true,
      can_write: true,
      can_create_repository: true,
    });
    await api.call("DELETE", `/teams/${team}`, { as: alice });
    expect((await ask(bob, "bob")).json).toEqual(none);
  });

  it("401, 403 for others than the user and owners, 404", async () => {
    expect((await ask(undefined, "bob")).status).toBe(401);
    expect((await ask(bob, "alice")).status).toBe(403);
    expect((await ask(alice, "bob")).status).toBe(200);
    expect((await ask(bob, "bob", "cloak")).status).toBe(404);
    expect((await ask(bob, "nobody")).status).toBe(404);
  });
});
