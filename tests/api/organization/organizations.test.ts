import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { put } from "#core/table/write";
import { membershipMirrorKey } from "#core/team/team.table";
import type { Caller, TestApi } from "#tests/support/api";
import { holdTimeStill } from "#tests/support/still-time";
import { writeMany } from "#tests/support/write-many";
import { tableRequests } from "../repository/costs.ts";
import { join, makeOrganization, makeTeam, namesIn, startOrganizations } from "./make.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let boss: Caller;
let shut: Caller;

beforeAll(async () => {
  ({ api, alice, bob, boss, shut } = await startOrganizations());
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

  it("422: for users who are in 500 organizations already", async () => {
    const joiner = await api.makeUser({ name: "joiner" });
    const rows = Array.from({ length: 500 }, (_, at) => {
      const key = membershipMirrorKey(joiner.user.id, 900_000 + at);
      return put({ ...key, organizationId: 900_000 + at, teamIds: [1], _v: 1 });
    });
    await writeMany(api.forge, rows);
    const { status, json } = await api.call("POST", "/orgs", { as: joiner, body: { username: "another" } });
    expect([status, json.message]).toEqual([422, expect.stringContaining("500 organizations")]);
  });
});

describe("adminCreateOrg", () => {
  it("201: the named user becomes its owner, the administrator does not (OP-adminCreateOrg, RES-Organization)", async () => {
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

  it("404: for callers who may not know of it, worded as though absent (D-HIDDEN)", async () => {
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
    holdTimeStill();
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
