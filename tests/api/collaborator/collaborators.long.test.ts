import { describe, expect, it } from "vitest";
import { join, makeRepository, makeTeam, namesIn } from "../organization/make.ts";
import { add, alice, api, bob, carol, remove, useCollaborators } from "./collaborators-world.ts";

useCollaborators();

describe("repoDeleteCollaborator", () => {
  it("204: both sides of the record go together, whatever runs at once", async () => {
    for (let round = 0; round < 10; round += 1) {
      await Promise.all([add("r2", "carol", "read"), remove("r2", "carol"), add("r2", "carol", "admin")]);
      const { id } = (await api.call("GET", "/repos/alice/r2", { as: alice })).json;
      const digits = (value: number) => String(value).padStart(10, "0");
      const row = await api.forge.table.get({ pk: `R#${id}`, sk: `C#${digits(carol.user.id)}` });
      const mirror = await api.forge.table.get({ pk: `U#${carol.user.id}`, sk: `COLL#${digits(id)}` });
      expect(mirror?.mode).toBe(row?.mode);
    }
  });
});

describe("a member who created a repository of an organization", () => {
  it("is its administrator for as long as they are a member, and not of repositories that go to others", async () => {
    const makers = await makeTeam(api, alice, "acme", "makers", {
      units: ["repo.code"],
      can_create_org_repo: true,
    });
    await join(api, alice, makers, bob);
    await makeRepository(api, bob, "acme", "bobs", { private: true });
    const path = "/repos/acme/bobs";
    const see = async () => (await api.call("GET", path, { as: bob })).status;
    const listed = async () => (await api.call("GET", "/repos/search?q=bobs", { as: bob })).json.data;
    const shown = async () => namesIn(await api.call("GET", `${path}/collaborators`, { as: alice }));
    expect([await see(), (await api.call("GET", "/user/repos", { as: bob })).json.length > 0]).toEqual([
      200,
      true,
    ]);
    expect(await shown()).toEqual(["bob"]);
    await api.call("DELETE", "/orgs/acme/members/bob", { as: alice });
    expect([await see(), await shown()]).toEqual([404, []]);
    expect(await listed()).toEqual([]);
    const { status } = await api.call("PUT", `${path}/collaborators/bob`, { as: alice, body: {} });
    expect([status, await see(), await shown()]).toEqual([204, 200, ["bob"]]);
    await api.call("DELETE", `${path}/collaborators/bob`, { as: alice });
  });
});
