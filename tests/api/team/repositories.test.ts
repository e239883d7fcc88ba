import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";
import { join, makeOrganization, makeRepository, makeTeam, namesIn, ownersOf } from "../organization/make.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let carol: Caller;
let stranger: Caller;
let boss: Caller;

beforeAll(async () => {
  api = await makeApi();
  [alice, bob, carol, stranger, boss] = [
    await api.makeUser({ name: "alice" }),
    await api.makeUser({ name: "bob" }),
    await api.makeUser({ name: "carol" }),
    await api.makeUser({ name: "stranger" }),
    await api.makeUser({ name: "boss", isAdmin: true }),
  ];
  await makeOrganization(api, alice, "acme");
  await makeRepository(api, alice, "acme", "open");
  await makeRepository(api, alice, "acme", "vault", { private: true });
  await makeRepository(api, alice, "acme", "attic", { private: true });
  await makeOrganization(api, alice, "cloak", { visibility: "private" });
  await makeTeam(api, alice, "acme", "guests");
  await makeTeam(api, alice, "acme", "visitors");
  await api.call("PUT", "/repos/acme/attic/teams/guests", { as: alice });
  await api.call("POST", "/user/repos", { as: bob, body: { name: "solo" } });
});
afterAll(() => api.stop());

describe("orgListRepos", () => {
  const listed = async (as?: Caller, name = "acme") =>
    namesIn(await api.call("GET", `/orgs/${name}/repos`, { as }));

  it("200: what the caller may see, teams and collaborations included (OP-orgListRepos, B-18)", async () => {
    expect(await listed()).toEqual(["acme/open"]);
    expect(await listed(stranger)).toEqual(["acme/open"]);
    expect(await listed(alice)).toEqual(["acme/open", "acme/vault", "acme/attic"]);
    expect(await listed(boss)).toEqual(["acme/open", "acme/vault", "acme/attic"]);
    const team = await makeTeam(api, alice, "acme", "vaulters");
    await join(api, alice, team, bob);
    await api.call("PUT", `/teams/${team}/repos/acme/vault`, { as: alice });
    expect(await listed(bob)).toEqual(["acme/open", "acme/vault"]);
    await api.call("PUT", "/repos/acme/attic/collaborators/stranger", { as: alice });
    expect(await listed(stranger)).toEqual(["acme/open", "acme/attic"]);
    await api.call("DELETE", "/repos/acme/attic/collaborators/stranger", { as: alice });
    await api.call("DELETE", `/teams/${team}`, { as: alice });
    expect(await listed(bob)).toEqual(["acme/open"]);
    expect((await api.call("GET", "/orgs/cloak/repos", { as: bob })).status).toBe(404);
  });
});

describe("search and /user/repos", () => {
  const found = async (query: string, as: Caller | undefined) => {
    const { json, headers } = await api.call("GET", `/repos/search?${query}`, { as });
    expect(headers.get("x-total-count")).toBe(String(json.data.length));
    return json.data.map((one: { full_name: string }) => one.full_name);
  };
  const mine = async (as: Caller, order = "") =>
    namesIn(await api.call("GET", `/user/repos${order}`, { as }));

  it("200: a team's and a collaborator's private repositories are found by those who have them alone", async () => {
    const team = await makeTeam(api, alice, "acme", "finders");
    await join(api, alice, team, carol);
    expect(await found("q=vault", carol)).toEqual([]);
    await api.call("PUT", `/teams/${team}/repos/acme/vault`, { as: alice });
    expect(await found("q=vault", carol)).toEqual(["acme/vault"]);
    expect(await found("q=vault", stranger)).toEqual([]);
    expect(await found(`team_id=${team}`, carol)).toEqual(["acme/vault"]);
    expect(await found(`team_id=${team}`, boss)).toEqual(["acme/vault"]);
    expect(await found(`team_id=${team}`, stranger)).toEqual([]);
    expect(await found(`uid=${carol.user.id}`, carol)).toEqual(["acme/vault"]);
    expect(await found(`uid=${carol.user.id}`, stranger)).toEqual([]);
    expect(await found(`uid=${carol.user.id}&exclusive=true`, carol)).toEqual([]);
    expect(await mine(carol)).toEqual(["acme/vault"]);
    await api.call("POST", "/user/repos", { as: carol, body: { name: "own" } });
    await api.call("PUT", "/repos/acme/attic/collaborators/carol", {
      as: alice,
      body: { permission: "read" },
    });
    expect(await mine(carol)).toEqual(["acme/attic", "carol/own", "acme/vault"]);
    expect((await mine(carol, "?order_by=size")).sort()).toEqual(["acme/attic", "acme/vault", "carol/own"]);
    expect(await found(`uid=${carol.user.id}&mode=collaborative`, carol)).toEqual([
      "acme/attic",
      "acme/vault",
    ]);
    const token = await api.makeToken(carol, ["public-only", "read:repository", "read:user"]);
    expect(await mine({ ...carol, token })).toEqual(["carol/own"]);
    await api.call("DELETE", "/repos/acme/attic/collaborators/carol", { as: alice });
    await api.call("DELETE", `/teams/${team}/members/carol`, { as: alice });
    expect(await mine(carol)).toEqual(["carol/own"]);
    expect(await found("q=vault", carol)).toEqual([]);
  });

  it("200: a search by a team that has all repositories finds them all, for its members and site administrators (OP-repoSearch)", async () => {
    const owner = await api.makeUser({ name: "owner" });
    await makeOrganization(api, owner, "whole");
    await makeOrganization(api, owner, "other");
    for (const [to, name] of [
      ["whole", "shown"],
      ["whole", "kept"],
      ["other", "kept"],
    ] as const)
      await makeRepository(api, owner, to, name, { private: name === "kept" });
    const all = { permission: "read", units: ["repo.code"], includes_all_repositories: true };
    const readers = await makeTeam(api, owner, "whole", "readers", all);
    await join(api, owner, readers, bob);
    const every = ["whole/kept", "whole/shown"];
    for (const as of [bob, boss]) expect(await found(`team_id=${readers}`, as)).toEqual(every);
    expect(await found(`team_id=${readers}&is_private=true`, bob)).toEqual(["whole/kept"]);
    expect(await found(`team_id=${readers}&q=whole/sho`, bob)).toEqual(["whole/shown"]);
    const owners = await ownersOf(api, owner, "whole");
    for (const as of [owner, boss]) expect(await found(`team_id=${owners}`, as)).toEqual(every);
    for (const as of [stranger, undefined]) expect(await found(`team_id=${readers}`, as)).toEqual([]);
    expect(await found(`team_id=${owners}`, bob)).toEqual([]);
    expect(await found("team_id=99999", boss)).toEqual([]);
  });

  it("200: public repositories of a private organization are for its members", async () => {
    await makeRepository(api, alice, "cloak", "dagger");
    expect(await found("q=dagger", alice)).toEqual(["cloak/dagger"]);
    expect(await found("q=dagger", stranger)).toEqual([]);
    expect(await found("q=dagger", undefined)).toEqual([]);
    const team = await makeTeam(api, alice, "cloak", "any");
    await join(api, alice, team, carol);
    expect(await found("q=dagger", carol)).toEqual(["cloak/dagger"]);
    await api.call("DELETE", `/teams/${team}`, { as: alice });
    expect(await found("q=dagger", carol)).toEqual([]);
  });
});

const at = (team: number, name: string) => `/teams/${team}/repos/acme/${name}`;
const statusOf = async (method: string, path: string, as: Caller | undefined) =>
  (await api.call(method, path, { as })).status;

describe("orgAddTeamRepository", () => {
  it("204: its members have it at once, however often it is given", async () => {
    const team = await makeTeam(api, alice, "acme", "given");
    await join(api, alice, team, bob);
    expect(await statusOf("GET", "/repos/acme/vault", bob)).toBe(404);
    for (const _time of [1, 2]) expect(await statusOf("PUT", at(team, "vault"), alice)).toBe(204);
    expect(await statusOf("GET", "/repos/acme/vault", bob)).toBe(200);
    await statusOf("DELETE", `/teams/${team}`, alice);
  });

  it("401, 403 without administration of the repository, 404 for what is none of the organization's", async () => {
    const team = await makeTeam(api, alice, "acme", "limits", { permission: "write", units: ["repo.code"] });
    await join(api, alice, team, bob);
    await statusOf("PUT", at(team, "vault"), alice);
    expect(await statusOf("PUT", at(team, "vault"), bob)).toBe(403);
    expect(await statusOf("PUT", at(team, "attic"), bob)).toBe(404);
    expect(await statusOf("PUT", at(team, "vault"), undefined)).toBe(401);
    expect(await statusOf("PUT", at(team, "open"), stranger)).toBe(404);
    await api.call("POST", "/user/repos", { as: alice, body: { name: "hers" } });
    expect(await statusOf("PUT", `/teams/${team}/repos/alice/hers`, alice)).toBe(404);
    expect(await statusOf("PUT", at(team, "nothing"), alice)).toBe(404);
    await statusOf("DELETE", `/teams/${team}`, alice);
  });
});

describe("orgAddTeamRepository and orgRemoveTeamRepository", () => {
  it("403 for an administrator of the repository, unless the organization lets them", async () => {
    const team = await makeTeam(api, alice, "acme", "wanting");
    await makeRepository(api, alice, "acme", "led", { private: true });
    await join(api, alice, team, carol);
    await api.call("PUT", "/repos/acme/led/collaborators/carol", {
      as: alice,
      body: { permission: "admin" },
    });
    const letAdmins = (repo_admin_change_team_access: boolean) =>
      api.call("PATCH", "/orgs/acme", { as: alice, body: { repo_admin_change_team_access } });
    await letAdmins(false);
    expect(await statusOf("PUT", at(team, "led"), carol)).toBe(403);
    await letAdmins(true);
    expect(await statusOf("PUT", at(team, "led"), carol)).toBe(204);
    await letAdmins(false);
    expect(await statusOf("DELETE", at(team, "led"), carol)).toBe(403);
    await statusOf("DELETE", `/teams/${team}`, alice);
    await statusOf("DELETE", "/repos/acme/led", alice);
    await finishJobs(api);
  });
});

describe("a team with units of its own", () => {
  it("gives no more than its map: one unit on admin, and beside a collaborator's reading (decision 12)", async () => {
    await makeRepository(api, alice, "acme", "parts", { private: true, auto_init: true });
    const given = async (units_map: object) => {
      const team = await makeTeam(api, alice, "acme", "partial", { units_map });
      await join(api, alice, team, carol);
      await statusOf("PUT", at(team, "parts"), alice);
      const may = {
        push: (await api.call("GET", "/repos/acme/parts", { as: carol })).json.permissions.push,
        edit: (await api.call("PATCH", "/repos/acme/parts", { as: carol, body: {} })).status,
        issue: (await api.call("POST", "/repos/acme/parts/issues", { as: carol, body: { title: "t" } }))
          .status,
      };
      await statusOf("DELETE", `/teams/${team}`, alice);
      return may;
    };
    expect(await given({ "repo.issues": "admin" })).toEqual({ push: false, edit: 403, issue: 201 });
    await api.call("PUT", "/repos/acme/parts/collaborators/carol", {
      as: alice,
      body: { permission: "read" },
    });
    expect(await given({ "repo.issues": "write" })).toEqual({ push: false, edit: 403, issue: 201 });
    await statusOf("DELETE", "/repos/acme/parts", alice);
    await finishJobs(api);
  });
});

describe("orgListTeamRepos", () => {
  it("200: what the team was given, by id; everything for one that has all; 403, 404", async () => {
    const team = await makeTeam(api, alice, "acme", "listed");
    await join(api, alice, team, bob);
    const listed = async (id: number, as = bob) =>
      namesIn(await api.call("GET", `/teams/${id}/repos`, { as }));
    expect(await listed(team)).toEqual([]);
    for (const name of ["attic", "vault"]) await statusOf("PUT", at(team, name), alice);
    expect(await listed(team)).toEqual(["acme/vault", "acme/attic"]);
    const owners = await ownersOf(api, alice, "acme");
    expect(await listed(owners, alice)).toEqual(expect.arrayContaining(["acme/open", "acme/vault"]));
    expect(await statusOf("GET", `/teams/${owners}/repos`, bob)).toBe(403);
    expect(await statusOf("GET", `/teams/${team}/repos`, stranger)).toBe(404);
    await statusOf("DELETE", `/teams/${team}`, alice);
  });

  it("200: one that is deleted is in no team any more, and no row of it is left after its job", async () => {
    const team = await makeTeam(api, alice, "acme", "losing");
    await makeRepository(api, alice, "acme", "doomed", { private: true });
    await statusOf("PUT", at(team, "doomed"), alice);
    await api.call("PUT", "/repos/acme/doomed/collaborators/carol", { as: alice });
    await statusOf("DELETE", "/repos/acme/doomed", alice);
    const { headers, json } = await api.call("GET", `/teams/${team}/repos`, { as: alice });
    expect([json, headers.get("x-total-count")]).toEqual([[], "0"]);
    await finishJobs(api);
    expect(await api.forge.table.queryAll({ pk: `TEAM#${team}`, prefix: "R#" })).toEqual([]);
    expect(await api.forge.table.queryAll({ pk: `U#${carol.user.id}`, prefix: "COLL#" })).toEqual([]);
  });
});

describe("orgListTeamRepo", () => {
  it("200: one that the team has; 404: another", async () => {
    const team = await makeTeam(api, alice, "acme", "asked");
    await join(api, alice, team, bob);
    await statusOf("PUT", at(team, "vault"), alice);
    expect((await api.call("GET", at(team, "VAULT"), { as: bob })).json.full_name).toBe("acme/vault");
    expect(await statusOf("GET", at(team, "open"), bob)).toBe(404);
    await statusOf("DELETE", `/teams/${team}`, alice);
  });
});

describe("orgRemoveTeamRepository", () => {
  it("204: gone at once, and again; 403; 422 where the team has all", async () => {
    const team = await makeTeam(api, alice, "acme", "taken");
    await join(api, alice, team, bob);
    await statusOf("PUT", at(team, "vault"), alice);
    expect(await statusOf("DELETE", at(team, "vault"), bob)).toBe(403);
    for (const _time of [1, 2]) expect(await statusOf("DELETE", at(team, "vault"), alice)).toBe(204);
    expect(await statusOf("GET", "/repos/acme/vault", bob)).toBe(404);
    expect(await statusOf("DELETE", at(await ownersOf(api, alice, "acme"), "vault"), alice)).toBe(422);
  });
});

const teamsOf = (name: string, team = "") => `/repos/acme/${name}/teams${team === "" ? "" : `/${team}`}`;

describe("repoListTeams", () => {
  it("200: those that were given it and those that have all; none where the owner is a user; 401, 404", async () => {
    const { json } = await api.call("GET", teamsOf("attic"), { as: alice });
    expect(json.map(({ name }: { name: string }) => name)).toEqual(["Owners", "guests"]);
    expect((await api.call("GET", "/repos/bob/solo/teams", { as: bob })).json).toEqual([]);
    expect(await statusOf("GET", teamsOf("open"), undefined)).toBe(401);
    expect(await statusOf("GET", teamsOf("vault"), stranger)).toBe(404);
  });
});

describe("repoCheckTeam", () => {
  it("200: a team that has it, in any case; 404: another, or none; 405: a user has no teams", async () => {
    expect((await api.call("GET", teamsOf("attic", "GUESTS"), { as: alice })).json.name).toBe("guests");
    expect(await statusOf("GET", teamsOf("vault", "guests"), alice)).toBe(404);
    expect(await statusOf("GET", teamsOf("vault", "nobody"), alice)).toBe(404);
    expect(await statusOf("GET", "/repos/bob/solo/teams/guests", bob)).toBe(405);
  });

  it("404: a team that does not have it is to a reader as one that is absent (D-HIDDEN)", async () => {
    const other = await api.call("GET", teamsOf("open", "guests"), { as: stranger });
    const absent = await api.call("GET", teamsOf("open", "nobody"), { as: stranger });
    expect([other.status, absent.status]).toEqual([404, 404]);
    expect(other.json.message.replace("guests", "nobody")).toBe(absent.json.message);
  });
});

describe("repoAddTeam", () => {
  it("204, and 422 when the team has it; 404, 405", async () => {
    expect(await statusOf("PUT", teamsOf("open", "visitors"), alice)).toBe(204);
    expect(await statusOf("PUT", teamsOf("open", "visitors"), alice)).toBe(422);
    expect(await statusOf("PUT", teamsOf("open", "nobody"), alice)).toBe(404);
    expect(await statusOf("PUT", "/repos/bob/solo/teams/visitors", bob)).toBe(405);
  });

  it("403 for an administrator of the repository, unless the organization lets them", async () => {
    const body = { permission: "admin" };
    await api.call("PUT", "/repos/acme/vault/collaborators/carol", { as: alice, body });
    expect(await statusOf("PUT", teamsOf("vault", "visitors"), carol)).toBe(403);
    await api.call("PATCH", "/orgs/acme", { as: alice, body: { repo_admin_change_team_access: true } });
    expect(await statusOf("PUT", teamsOf("vault", "visitors"), carol)).toBe(204);
    expect(await statusOf("PUT", teamsOf("open", "guests"), carol)).toBe(403);
  });
});

describe("repoDeleteTeam", () => {
  it("204, and 422 when the team does not have it or has all; 405", async () => {
    expect(await statusOf("DELETE", teamsOf("open", "visitors"), alice)).toBe(204);
    expect(await statusOf("DELETE", teamsOf("open", "visitors"), alice)).toBe(422);
    expect(await statusOf("DELETE", teamsOf("open", "Owners"), alice)).toBe(422);
    expect(await statusOf("DELETE", "/repos/bob/solo/teams/visitors", bob)).toBe(405);
  });
});
