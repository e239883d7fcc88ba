import { describe, expect, it } from "vitest";
import type { Caller } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";
import { join, makeOrganization, makeRepository, makeTeam, namesIn, ownersOf } from "../organization/make.ts";
import { alice, api, bob, boss, create, stranger, useTeams } from "./teams-world.ts";

useTeams();

describe("orgCreateTeam", () => {
  it("201: units get the permission; trackers and wikis elsewhere are read at most (OP-orgCreateTeam, RES-Team)", async () => {
    const { status, json } = await create(alice, {
      name: "devs",
      description: "who build",
      permission: "write",
      units: ["repo.code", "repo.ext_wiki"],
      can_create_org_repo: true,
    });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      name: "devs",
      description: "who build",
      permission: "write",
      units: ["repo.code", "repo.ext_wiki"],
      units_map: { "repo.code": "write", "repo.ext_wiki": "read" },
      can_create_org_repo: true,
      includes_all_repositories: false,
      organization: { name: "acme" },
    });
  });

  it("201: units_map wins, and the permission is the least in it", async () => {
    const { json } = await create(alice, {
      name: "map",
      permission: "read",
      units: ["repo.wiki"],
      units_map: { "repo.code": "write", "repo.issues": "admin", "repo.wiki": "none" },
    });
    expect(json).toMatchObject({
      permission: "write",
      units_map: { "repo.code": "write", "repo.issues": "admin", "repo.wiki": "none" },
    });
  });

  it("201: a map is as much as it says, administrator of one unit is none of the repository (decision 12)", async () => {
    const every = ["code", "issues", "pulls", "releases", "wiki", "projects", "packages", "actions"];
    const all = Object.fromEntries(every.map((unit) => [`repo.${unit}`, "admin"]));
    const permission = async (name: string, units_map: object) => {
      const { json } = await create(alice, { name, units_map });
      await api.call("DELETE", `/teams/${json.id}`, { as: alice });
      return json.permission;
    };
    expect(await permission("one-unit", { "repo.code": "admin" })).toBe("write");
    expect(await permission("most-units", { ...all, "repo.actions": "none" })).toBe("write");
    expect(await permission("all-units", all)).toBe("admin");
  });

  it("201: a map of nothing but none gives nothing (D-UNITSMAP)", async () => {
    await makeRepository(api, alice, "acme", "shut", { private: true });
    const units_map = { "repo.code": "none", "repo.issues": "none" };
    const { status, json } = await create(alice, {
      name: "idle",
      units_map,
      includes_all_repositories: true,
    });
    expect([status, json.permission, json.units_map]).toEqual([201, "none", units_map]);
    const idler = await api.makeUser();
    await join(api, alice, json.id, idler);
    expect((await api.call("GET", "/repos/acme/shut", { as: idler })).status).toBe(404);
    expect(namesIn(await api.call("GET", "/orgs/acme/repos", { as: idler }))).not.toContain("acme/shut");
    const edited = await api.call("PATCH", `/teams/${json.id}`, { as: alice, body: { description: "x" } });
    expect([edited.status, edited.json.permission]).toEqual([200, "none"]);
    await api.call("DELETE", `/teams/${json.id}`, { as: alice });
  });

  it("201: admin means all units", async () => {
    const { json } = await create(alice, {
      name: "adm",
      permission: "admin",
      units_map: { "repo.code": "read" },
    });
    expect(json.permission).toBe("admin");
    expect(json.units).toHaveLength(10);
    expect(json.units_map).toMatchObject({ "repo.code": "admin", "repo.ext_issues": "read" });
  });

  it.each([
    ["of a list", { units: ["repository", "repo.moon"] }, {}],
    ["of a map", { units_map: { "": "" } }, {}],
    ["beside a known one", { units: ["issue", "repo.code"], permission: "write" }, { "repo.code": "write" }],
  ])("201: unknown units %s count for nothing, as with the family", async (what, body, expected) => {
    const { status, json } = await create(alice, { name: what.replaceAll(" ", "-"), ...body });
    expect([status, json.units_map]).toEqual([201, expected]);
    expect((await api.call("DELETE", `/teams/${json.id}`, { as: alice })).status).toBe(204);
  });

  it.each([
    ["no name", { permission: "read", units: ["repo.code"] }, "Name"],
    ["a name with a space", { name: "a b", units: ["repo.code"] }, "Name"],
    ["the name new", { name: "NEW", units: ["repo.code"] }, "Name"],
    ["256 characters", { name: "x".repeat(256), units: ["repo.code"] }, "Name"],
    ["a long description", { name: "ok", description: "x".repeat(256), units: ["repo.code"] }, "Description"],
    ["no units", { name: "ok", permission: "write" }, "Units"],
    ["an unknown mode", { name: "ok", units_map: { "repo.code": "all" } }, "UnitsMap"],
    ["a mode that is no mode", { name: "ok", units_map: { "repo.code": "constructor" } }, "UnitsMap"],
    ["owner in the map", { name: "ok", units_map: { "repo.code": "owner" } }, "UnitsMap"],
    ["owner", { name: "ok", permission: "owner", units: ["repo.code"] }, "Permission"],
  ])("422: %s", async (_what, body, field) => {
    const { status, json } = await create(alice, body);
    expect(status).toBe(422);
    expect(json.message).toContain(field);
  });

  it("422: a name that is taken, in any case; owners of another organization may have it", async () => {
    const body = { name: "DEVS", units: ["repo.code"] };
    expect((await create(alice, body)).status).toBe(422);
    expect((await create(alice, { ...body, name: "owners" })).status).toBe(422);
    await makeOrganization(api, alice, "other");
    expect((await create(alice, body, "other")).status).toBe(201);
  });

  it("401, 403 for members and strangers, 404", async () => {
    const body = { name: "nope", units: ["repo.code"] };
    expect((await create(undefined, body)).status).toBe(401);
    expect((await create(bob, body)).status).toBe(403);
    expect((await create(stranger, body)).status).toBe(403);
    expect((await create(alice, body, "nothing")).status).toBe(404);
  });
});

describe("orgListTeams", () => {
  it("200: for members, Owners first; 403 for others, 401, 404 (OP-orgListTeams)", async () => {
    const { json, headers } = await api.call("GET", "/orgs/acme/teams?limit=2", { as: bob });
    expect(json.map(({ name }: { name: string }) => name)).toEqual(["Owners", "adm"]);
    expect(headers.get("x-total-count")).toBe("5");
    expect((await api.call("GET", "/orgs/acme/teams", { as: stranger })).status).toBe(403);
    expect((await api.call("GET", "/orgs/acme/teams")).status).toBe(401);
    expect((await api.call("GET", "/orgs/nothing/teams", { as: bob })).status).toBe(404);
  });
});

describe("teamSearch", () => {
  const search = async (as: Caller, query: string) => {
    const { json } = await api.call("GET", `/orgs/acme/teams/search?${query}`, { as });
    expect(json.ok).toBe(true);
    return json.data.map(({ name }: { name: string }) => name);
  };

  it("200: a part of the name or, unless said otherwise, of the description; members find their own teams", async () => {
    expect(await search(alice, "q=DEV")).toEqual(["devs"]);
    expect(await search(alice, "q=build&include_desc=false")).toEqual([]);
    for (const asked of ["", "&include_desc=true"]) {
      expect(await search(alice, `q=build${asked}`)).toEqual(["devs"]); // D-TEAMSEARCH
    }
    expect(await search(bob, "q=")).toEqual(["readers"]);
    expect((await api.call("GET", "/orgs/acme/teams/search", { as: stranger })).status).toBe(403);
  });
});

describe("orgGetTeam", () => {
  const status = async (as: Caller | undefined, id: number) =>
    (await api.call("GET", `/teams/${id}`, { as })).status;

  it("200 for members and owners, 403 for other members, 404 for strangers, 401", async () => {
    const id = await makeTeam(api, alice, "acme", "looked-at");
    expect(await status(alice, id)).toBe(200);
    expect(await status(boss, id)).toBe(200);
    expect(await status(bob, id)).toBe(403);
    expect(await status(stranger, id)).toBe(404);
    expect(await status(undefined, id)).toBe(401);
    expect(await status(alice, 999_999)).toBe(404);
    await join(api, alice, id, bob);
    expect(await status(bob, id)).toBe(200);
  });
});

describe("orgEditTeam", () => {
  const edit = (as: Caller | undefined, id: number, body: object) =>
    api.call("PATCH", `/teams/${id}`, { as, body });

  it("200: absent fields stay; a new permission goes to the same units", async () => {
    const id = await makeTeam(api, alice, "acme", "editable", { permission: "read", units: ["repo.code"] });
    expect((await edit(alice, id, { description: "d" })).json).toMatchObject({
      name: "editable",
      description: "d",
      units_map: { "repo.code": "read" },
    });
    expect((await edit(alice, id, { permission: "write" })).json).toMatchObject({
      permission: "write",
      units_map: { "repo.code": "write" },
    });
    expect((await edit(alice, id, { units_map: { "repo.issues": "read" } })).json).toMatchObject({
      permission: "read",
      units_map: { "repo.issues": "read" },
    });
    expect((await edit(alice, id, { name: "Editable", includes_all_repositories: true })).json).toMatchObject(
      {
        name: "Editable",
        includes_all_repositories: true,
      },
    );
  });

  it("200: empty names, permissions and units stay as they are, as Go's clients send them", async () => {
    const id = await makeTeam(api, alice, "acme", "unchanged", { permission: "write", units: ["repo.code"] });
    const zero = { name: "", permission: "", units: [], units_map: {} };
    const { status, json } = await edit(alice, id, { ...zero, description: "d" });
    expect([status, json.name, json.description]).toEqual([200, "unchanged", "d"]);
    expect([json.permission, json.units_map]).toEqual(["write", { "repo.code": "write" }]);
    const read = await edit(alice, id, { ...zero, permission: "read" });
    expect([read.status, read.json.units_map]).toEqual([200, { "repo.code": "read" }]);
  });

  it("200: rights that it takes away are gone at once", async () => {
    await makeRepository(api, alice, "acme", "vault", { private: true });
    const id = await makeTeam(api, alice, "acme", "keepers", {
      units_map: { "repo.code": "read", "repo.issues": "write" },
      includes_all_repositories: true,
    });
    await join(api, alice, id, bob);
    const see = async () => (await api.call("GET", "/repos/acme/vault/issues", { as: bob })).status;
    expect(await see()).toBe(200);
    await edit(alice, id, { units_map: { "repo.code": "read" } });
    expect(await see()).toBe(404);
    expect((await api.call("GET", "/repos/acme/vault", { as: bob })).status).toBe(200);
    await edit(alice, id, { includes_all_repositories: false });
    expect((await api.call("GET", "/repos/acme/vault", { as: bob })).status).toBe(404);
  });

  it("200: of Owners only the description changes", async () => {
    const id = await ownersOf(api, alice, "acme");
    const body = {
      name: "Gone",
      permission: "read",
      units: ["repo.code"],
      includes_all_repositories: false,
      description: "us",
    };
    expect((await edit(alice, id, body)).json).toMatchObject({
      name: "Owners",
      permission: "owner",
      includes_all_repositories: true,
      description: "us",
    });
  });

  it("401, 403, 404, 422", async () => {
    const id = await makeTeam(api, alice, "acme", "fixed");
    await join(api, alice, id, bob);
    expect((await edit(undefined, id, {})).status).toBe(401);
    expect((await edit(bob, id, {})).status).toBe(403);
    expect((await edit(stranger, id, {})).status).toBe(404);
    expect((await edit(alice, id, { name: "devs" })).status).toBe(422);
    expect((await edit(alice, id, { units_map: { "repo.code": "all" } })).status).toBe(422);
  });
});

describe("orgDeleteTeam", () => {
  const remove = (as: Caller | undefined, id: number) => api.call("DELETE", `/teams/${id}`, { as });

  it("204: rights and membership end at once, rows with the job, the name is free", async () => {
    await makeOrganization(api, alice, "fading");
    const { id: repositoryId } = await makeRepository(api, alice, "fading", "shed", { private: true });
    const team = await makeTeam(api, alice, "fading", "few");
    await join(api, alice, team, bob);
    await api.call("PUT", `/teams/${team}/repos/fading/shed`, { as: alice });
    expect((await api.call("GET", "/repos/fading/shed", { as: bob })).status).toBe(200);
    expect((await remove(alice, team)).status).toBe(204);
    expect((await api.call("GET", "/repos/fading/shed", { as: bob })).status).toBe(404);
    expect(namesIn(await api.call("GET", "/orgs/fading/members", { as: alice }))).toEqual(["alice"]);
    expect(namesIn(await api.call("GET", "/user/orgs", { as: bob }))).not.toContain("fading");
    expect((await api.call("GET", "/orgs/fading/teams", { as: bob })).status).toBe(403);
    expect((await api.call("PUT", `/teams/${team}/members/bob`, { as: alice })).status).toBe(404);
    await finishJobs(api);
    expect(await api.forge.table.queryAll({ pk: `TEAM#${team}` })).toEqual([]);
    const meta = await api.forge.table.get({ pk: `R#${repositoryId}`, sk: "META" });
    expect(meta?.teamIds).toEqual([]);
    await makeTeam(api, alice, "fading", "few");
  });

  it("401, 403, 404, and 422 for Owners", async () => {
    const id = await makeTeam(api, alice, "acme", "stays");
    await join(api, alice, id, bob);
    expect((await remove(undefined, id)).status).toBe(401);
    expect((await remove(bob, id)).status).toBe(403);
    expect((await remove(stranger, id)).status).toBe(404);
    expect((await remove(alice, await ownersOf(api, alice, "acme"))).status).toBe(422);
  });
});

describe("userListTeams", () => {
  it("200: the caller's teams with their organizations; 401", async () => {
    const { json } = await api.call("GET", "/user/teams", { as: alice });
    expect(json[0]).toMatchObject({ name: "Owners", organization: { name: "acme" } });
    expect((await api.call("GET", "/user/teams")).status).toBe(401);
  });
});
