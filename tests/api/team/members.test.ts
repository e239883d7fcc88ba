import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { join, makeOrganization, makeRepository, makeTeam, namesIn, ownersOf } from "../organization/make.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let stranger: Caller;

beforeAll(async () => {
  api = await makeApi();
  [alice, bob, stranger] = [
    await api.makeUser({ name: "alice" }),
    await api.makeUser({ name: "bob" }),
    await api.makeUser({ name: "stranger" }),
  ];
  await makeOrganization(api, alice, "acme");
  await makeRepository(api, alice, "acme", "vault", { private: true });
  await join(api, alice, await makeTeam(api, alice, "acme", "readers"), bob);
});
afterAll(() => api.stop());

const memberNames = async (id: number) =>
  namesIn(await api.call("GET", `/teams/${id}/members`, { as: alice }));

describe("orgListTeamMembers", () => {
  it("200: by id, paged; 401, 403, 404", async () => {
    const id = await makeTeam(api, alice, "acme", "listed");
    await join(api, alice, id, bob);
    await join(api, alice, id, alice);
    expect(await memberNames(id)).toEqual(["alice", "bob"]);
    const { headers } = await api.call("GET", `/teams/${id}/members?limit=1`, { as: bob });
    expect(headers.get("x-total-count")).toBe("2");
    expect((await api.call("GET", `/teams/${id}/members`)).status).toBe(401);
    expect((await api.call("GET", `/teams/${id}/members`, { as: stranger })).status).toBe(404);
    const other = await makeTeam(api, alice, "acme", "closed");
    expect((await api.call("GET", `/teams/${other}/members`, { as: bob })).status).toBe(403);
  });
});

describe("orgListTeamMember", () => {
  it("200: a member; 404: another, or nobody", async () => {
    const id = await makeTeam(api, alice, "acme", "asked");
    await join(api, alice, id, bob);
    const ask = (who: string) => api.call("GET", `/teams/${id}/members/${who}`, { as: bob });
    expect((await ask("BOB")).json.login).toBe("bob");
    expect((await ask("alice")).status).toBe(404);
    expect((await ask("nobody")).status).toBe(404);
  });
});

describe("orgAddTeamMember", () => {
  it("204: however often; right at once, in 4 items however many repositories the team has", async () => {
    const id = await makeTeam(api, alice, "acme", "growing", {
      units: ["repo.code"],
      includes_all_repositories: true,
    });
    await join(api, alice, id, stranger);
    await join(api, alice, id, stranger);
    expect(await memberNames(id)).toEqual(["stranger"]);
    expect((await api.call("GET", "/repos/acme/vault", { as: stranger })).status).toBe(200);
    await api.call("DELETE", `/teams/${id}/members/stranger`, { as: alice });
    expect((await api.call("GET", "/repos/acme/vault", { as: stranger })).status).toBe(404);
  });

  it("401, 403, 404: an organization and an unknown name are no users", async () => {
    const id = await makeTeam(api, alice, "acme", "choosy");
    await join(api, alice, id, bob);
    const add = async (as: Caller | undefined, who: string) =>
      (await api.call("PUT", `/teams/${id}/members/${who}`, { as })).status;
    expect(await add(undefined, "stranger")).toBe(401);
    expect(await add(bob, "stranger")).toBe(403);
    expect(await add(stranger, "stranger")).toBe(404);
    expect(await add(alice, "nobody")).toBe(404);
    expect(await add(alice, "acme")).toBe(404);
  });
});

describe("orgRemoveTeamMember", () => {
  it("204: also who is none; 422: the last owner", async () => {
    const id = await makeTeam(api, alice, "acme", "shrinking");
    await join(api, alice, id, bob);
    const remove = async (team: number, who: string, as: Caller | undefined = alice) =>
      (await api.call("DELETE", `/teams/${team}/members/${who}`, { as })).status;
    expect(await remove(id, "bob")).toBe(204);
    expect(await remove(id, "bob")).toBe(204);
    expect(await memberNames(id)).toEqual([]);
    const owners = await ownersOf(api, alice, "acme");
    expect(await remove(owners, "alice")).toBe(422);
    await join(api, alice, owners, bob);
    expect(await remove(owners, "alice", bob)).toBe(204);
    expect(await remove(owners, "bob", bob)).toBe(422);
    await join(api, bob, owners, alice);
    expect(await remove(owners, "bob")).toBe(204);
    const [anonymous] = [await api.call("DELETE", `/teams/${id}/members/bob`)];
    expect(anonymous?.status).toBe(401);
  });
});
