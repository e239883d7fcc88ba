import { describe, expect, it } from "vitest";
import {
  alice,
  api,
  bob,
  boss,
  left,
  made,
  org,
  remove,
  useOrganizations,
} from "./delete-repositories-world.ts";
import { join, makeRepository, makeTeam } from "./make.ts";

useOrganizations();

describe("orgDeleteRepos", () => {
  it("204: all of them are gone, private ones too; the organization and what others have stay", async () => {
    await api.call("POST", "/user/repos", { as: alice, body: { name: `own-${made}` } });
    for (let at = 0; at < 11; at += 1) {
      await makeRepository(api, alice, org, `r${at}`, { private: at % 2 === 0 });
    }
    expect(await remove(alice)).toEqual([204, ""]);
    expect(await left()).toEqual([]);
    expect((await api.call("GET", `/repos/${org}/r1`, { as: alice })).status).toBe(404);
    expect((await api.call("GET", `/orgs/${org}`)).status).toBe(200);
    expect((await api.call("GET", `/repos/alice/own-${made}`)).status).toBe(200);
    await makeRepository(api, alice, org, "r1");
  });

  it("204: none there are; 204: by a site administrator", async () => {
    expect(await remove(alice)).toEqual([204, ""]);
    await makeRepository(api, alice, org, "wares");
    expect(await remove(boss)).toEqual([204, ""]);
    expect(await left()).toEqual([]);
  });

  it("204: a token limited to what is public leaves the private ones", async () => {
    await makeRepository(api, alice, org, "open");
    await makeRepository(api, alice, org, "shut", { private: true });
    const token = await api.makeToken(alice, ["public-only", "all"]);
    expect(await remove({ ...alice, token })).toEqual([204, ""]);
    expect(await left()).toEqual([`${org}/shut`]);
  });

  it("401, 403, 404: for owners of the organization alone", async () => {
    await makeRepository(api, alice, org, "wares");
    const team = await makeTeam(api, alice, org, "admins", {
      permission: "admin",
      includes_all_repositories: true,
    });
    await join(api, alice, team, bob);
    expect((await remove())[0]).toBe(401);
    expect((await remove(bob))[0]).toBe(403);
    const token = await api.makeToken(alice, ["write:organization"]);
    expect((await remove({ ...alice, token }))[0]).toBe(403);
    expect((await api.call("DELETE", "/orgs/cloak/repos", { as: bob })).status).toBe(404);
    expect(await left()).toEqual([`${org}/wares`]);
  });
});
