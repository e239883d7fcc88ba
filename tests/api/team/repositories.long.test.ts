import { describe, expect, it } from "vitest";
import { finishJobs } from "#tests/support/jobs";
import { join, makeOrganization, makeRepository, makeTeam, ownersOf } from "../organization/make.ts";
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

describe("search and /user/repos", () => {
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
