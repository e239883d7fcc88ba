import { describe, expect, it } from "vitest";
import type { Caller } from "#tests/support/api";
import { join, makeOrganization, makeTeam, namesIn, ownersOf } from "./make.ts";
import { alice, api, bob, boss, carol, remove, show, stranger, team, useMembers } from "./members-world.ts";

useMembers();

const members = async (as?: Caller, list = "members") =>
  namesIn(await api.call("GET", `/orgs/acme/${list}`, { as }));

describe("orgListMembers", () => {
  it("200: all for members and site administrators, those who show it for others (OP-orgListMembers)", async () => {
    expect(await members(bob)).toEqual(["alice", "bob", "carol"]);
    expect(await members(boss)).toEqual(["alice", "bob", "carol"]);
    expect(await members(stranger)).toEqual([]);
    await show(bob, "bob");
    expect(await members(stranger)).toEqual(["bob"]);
    await show(bob, "bob", "DELETE");
    expect(await members(stranger)).toEqual([]);
  });

  it("200: pages with the total", async () => {
    const { json, headers } = await api.call("GET", "/orgs/acme/members?limit=2&page=2", { as: bob });
    expect(json).toHaveLength(1);
    expect(headers.get("x-total-count")).toBe("3");
  });

  it("401, 404", async () => {
    expect((await api.call("GET", "/orgs/acme/members")).status).toBe(401);
    expect((await api.call("GET", "/orgs/cloak/members")).status).toBe(404);
    expect((await api.call("GET", "/orgs/cloak/members", { as: bob })).status).toBe(404);
  });
});

describe("orgIsMember", () => {
  const ask = async (as: Caller | undefined, who: string) => {
    const { status, text } = await api.call("GET", `/orgs/acme/members/${who}`, { as });
    return [status, text];
  };

  it("204 or 404 without a body; to outsiders only what is shown (D-MEMBER, D-CHECK)", async () => {
    expect(await ask(bob, "ALICE")).toEqual([204, ""]);
    expect(await ask(bob, "stranger")).toEqual([404, ""]);
    expect(await ask(bob, "nobody")).toEqual([404, ""]);
    expect(await ask(bob, "acme")).toEqual([404, ""]);
    expect(await ask(boss, "bob")).toEqual([204, ""]);
    expect(await ask(stranger, "bob")).toEqual([404, ""]);
    expect(await ask(stranger, "stranger")).toEqual([404, ""]);
    await show(bob, "bob");
    expect(await ask(stranger, "bob")).toEqual([204, ""]);
    await show(bob, "bob", "DELETE");
    expect((await ask(undefined, "bob"))[0]).toBe(401);
  });
});

describe("orgListPublicMembers", () => {
  it("200: open to anonymous callers; 404 for a hidden organization", async () => {
    expect(await members(undefined, "public_members")).toEqual([]);
    await show(bob, "bob");
    expect(await members(undefined, "public_members")).toEqual(["bob"]);
    expect((await api.call("GET", "/orgs/cloak/public_members")).status).toBe(404);
    await show(bob, "bob", "DELETE");
  });
});

describe("lists of members and what the caller may not know (semantics §3.4)", () => {
  it("200 without a private user for outsiders, although they show their membership; 404 when asked for them", async () => {
    await show(carol, "carol");
    expect(await members(undefined, "public_members")).toEqual([]);
    expect(await members(stranger)).toEqual([]);
    expect(await members(bob, "public_members")).toEqual(["carol"]);
    expect(await members(carol, "public_members")).toEqual(["carol"]);
    const ask = async (list: string, as: Caller) =>
      (await api.call("GET", `/orgs/acme/${list}/carol`, { as })).status;
    expect([await ask("public_members", stranger), await ask("members", stranger)]).toEqual([404, 404]);
    expect([await ask("public_members", bob), await ask("members", boss)]).toEqual([204, 204]);
    await show(carol, "carol", "DELETE");
  });
});

describe("orgIsPublicMember", () => {
  it("204 or 404 without a body, for anonymous callers too", async () => {
    const ask = async () => {
      const { status, text } = await api.call("GET", "/orgs/acme/public_members/bob");
      return [status, text];
    };
    expect(await ask()).toEqual([404, ""]);
    await show(bob, "bob");
    expect(await ask()).toEqual([204, ""]);
    await show(bob, "bob", "DELETE");
    expect(await ask()).toEqual([404, ""]);
  });
});

describe.each([
  ["orgPublicizeMember", "PUT"],
  ["orgConcealMember", "DELETE"],
])("%s (of orgPublicizeMember, orgConcealMember)", (_id, method) => {
  it("204: the member, however often", async () => {
    expect((await show(bob, "bob", method)).status).toBe(204);
    expect((await show(bob, "bob", method)).status).toBe(204);
  });

  it("403 for others, owners and site administrators too, and for non-members", async () => {
    expect((await show(alice, "bob", method)).status).toBe(403);
    expect((await show(boss, "bob", method)).status).toBe(403);
    expect((await show(boss, "boss", method)).status).toBe(403);
    expect((await show(stranger, "stranger", method)).status).toBe(403);
  });

  it("401, 404", async () => {
    expect((await show(undefined, "bob", method)).status).toBe(401);
    expect((await show(bob, "bob", method, "cloak")).status).toBe(404);
    expect((await show(bob, "nobody", method)).status).toBe(404);
  });
});

describe("orgDeleteMember", () => {
  it("204: out of all teams at once; again, and for users who were in none, 204 (OP-orgDeleteMember)", async () => {
    const dora = await api.makeUser({ name: "dora" });
    const other = await makeTeam(api, alice, "acme", "others");
    for (const one of [team, other, await ownersOf(api, alice, "acme")]) await join(api, alice, one, dora);
    expect((await remove(alice, "dora")).status).toBe(204);
    expect(await members(alice)).not.toContain("dora");
    for (const one of [team, other]) {
      expect(namesIn(await api.call("GET", `/teams/${one}/members`, { as: alice }))).not.toContain("dora");
    }
    expect(namesIn(await api.call("GET", "/user/orgs", { as: dora }))).toEqual([]);
    expect((await remove(alice, "dora")).status).toBe(204);
    expect((await remove(alice, "stranger")).status).toBe(204);
  });

  it("204: members leave by themselves, a team or all of them; 422 for the last owner", async () => {
    const finn = await api.makeUser({ name: "finn" });
    await makeOrganization(api, alice, "ship");
    const [deck, crew] = [
      await makeTeam(api, alice, "ship", "deck"),
      await makeTeam(api, alice, "ship", "crew"),
    ];
    for (const one of [deck, crew]) await join(api, alice, one, finn);
    const leave = async (id: number, as: Caller, who = as.name) =>
      (await api.call("DELETE", `/teams/${id}/members/${who}`, { as })).status;
    expect(await leave(deck, finn, "alice")).toBe(403);
    expect(await leave(deck, finn, "FINN")).toBe(204);
    expect(namesIn(await api.call("GET", `/teams/${crew}/members`, { as: finn }))).toEqual(["finn"]);
    expect((await remove(finn, "finn", "ship")).status).toBe(204);
    expect(namesIn(await api.call("GET", "/user/orgs", { as: finn }))).toEqual([]);
    expect(await leave(await ownersOf(api, alice, "ship"), alice)).toBe(422);
    expect((await remove(alice, "alice", "ship")).status).toBe(422);
  });

  it("422: the last owner stays, in all of their teams", async () => {
    await join(api, alice, team, alice);
    expect((await remove(alice, "alice")).status).toBe(422);
    expect(namesIn(await api.call("GET", `/teams/${team}/members`, { as: alice }))).toContain("alice");
  });

  it("401, 403, 404", async () => {
    expect((await remove(undefined, "bob")).status).toBe(401);
    expect((await remove(bob, "alice")).status).toBe(403);
    expect((await remove(stranger, "bob", "cloak")).status).toBe(404);
    expect((await remove(alice, "nobody")).status).toBe(404);
  });
});

describe("visibility among members (semantics §3.4)", () => {
  it("200: members know of each other although one is private; 404 for others, and once they part", async () => {
    const see = async (as: Caller) => (await api.call("GET", "/users/carol", { as })).status;
    expect([await see(bob), await see(stranger)]).toEqual([200, 404]);
    await api.call("POST", "/user/repos", { as: carol, body: { name: "open" } });
    const repository = async (as: Caller) => (await api.call("GET", "/repos/carol/open", { as })).status;
    expect([await repository(bob), await repository(stranger)]).toEqual([200, 404]);
    const found = async (as: Caller) =>
      (await api.call("GET", "/repos/search?q=open", { as })).json.data.length;
    expect([await found(bob), await found(stranger)]).toEqual([1, 0]);
    await api.call("DELETE", `/teams/${team}/members/carol`, { as: alice });
    expect([await see(bob), await repository(bob), await found(bob)]).toEqual([404, 404, 0]);
    await join(api, boss, team, carol);
    expect(await see(bob)).toBe(200);
  });
});
