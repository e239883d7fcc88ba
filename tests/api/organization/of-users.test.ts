import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Caller, TestApi } from "#tests/support/api";
import { join, makeOrganization, makeTeam, namesIn, startOrganizations } from "./make.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let boss: Caller;

beforeAll(async () => {
  ({ api, alice, bob, boss } = await startOrganizations());
});
afterAll(() => api.stop());

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
