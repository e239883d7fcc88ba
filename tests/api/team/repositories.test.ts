import { describe, expect, it } from "vitest";
import type { Caller } from "#tests/support/api";
import { join, makeTeam, namesIn, ownersOf } from "../organization/make.ts";
import {
  alice,
  api,
  at,
  bob,
  boss,
  carol,
  found,
  statusOf,
  stranger,
  useTeams,
} from "./team-repositories-world.ts";

useTeams();

const teamsOf = (name: string, team = "") => `/repos/acme/${name}/teams${team === "" ? "" : `/${team}`}`;

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
});

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
