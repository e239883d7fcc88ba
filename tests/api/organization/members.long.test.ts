import { describe, expect, it } from "vitest";
import { createTeam } from "#core/team/create";
import { addTeamMember } from "#core/team/members";
import type { Caller } from "#tests/support/api";
import { join, makeOrganization, makeTeam, namesIn, ownersOf } from "./make.ts";
import { alice, api, bob, boss, carol, remove, show, stranger, useMembers } from "./members-world.ts";

useMembers();

describe("lists of members and what the caller may not know (semantics §3.4)", () => {
  it("200: repositories of a user reveal no concealed membership, and nothing of a private user", async () => {
    await makeOrganization(api, alice, "known");
    await api.call("POST", "/orgs/known/repos", { as: alice, body: { name: "plain" } });
    const all = await makeTeam(api, alice, "known", "all", {
      units: ["repo.code"],
      includes_all_repositories: true,
    });
    for (const one of [bob, carol]) await join(api, alice, all, one);
    const found = async (who: Caller, as?: Caller) =>
      (await api.call("GET", `/repos/search?uid=${who.user.id}&q=plain`, { as })).json.data.length;
    expect([await found(bob, stranger), await found(bob), await found(bob, alice)]).toEqual([0, 0, 1]);
    await show(bob, "bob", "PUT", "known");
    await show(carol, "carol", "PUT", "known");
    expect([await found(bob, stranger), await found(bob)]).toEqual([1, 1]);
    expect([await found(carol, stranger), await found(carol, bob), await found(carol, boss)]).toEqual([
      0, 1, 1,
    ]);
    await api.call("DELETE", `/teams/${all}`, { as: alice });
  });
});

describe("orgDeleteMember", () => {
  it("204: out of 47 teams, which takes more than one transaction", async () => {
    const erin = await api.makeUser({ name: "erin" });
    const { id } = await makeOrganization(api, alice, "large");
    for (let at = 0; at < 47; at += 1) {
      const team = await createTeam(api.forge, id, { name: `t${at}`, units: ["code"] });
      await addTeamMember(api.forge, team, erin.user.id);
    }
    expect((await remove(alice, "erin", "large")).status).toBe(204);
    expect(namesIn(await api.call("GET", "/orgs/large/members", { as: alice }))).toEqual(["alice"]);
    expect(await api.forge.table.queryAll({ pk: `U#${erin.user.id}`, prefix: "ORG#" })).toEqual([]);
  });

  it("204 for one, 422 for the other: two owners remove each other", async () => {
    for (let round = 0; round < 5; round += 1) {
      const name = `duel-${round}`;
      await makeOrganization(api, alice, name);
      await join(api, alice, await ownersOf(api, alice, name), bob);
      const outcomes = await Promise.all([remove(alice, "bob", name), remove(bob, "alice", name)]);
      const statuses = outcomes.map(({ status }) => status).sort();
      expect(statuses[0]).toBe(204);
      expect([403, 404, 422]).toContain(statuses[1]);
      expect(namesIn(await api.call("GET", `/orgs/${name}/members`, { as: boss }))).toHaveLength(1);
    }
  });
});
