import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeOrganization } from "../organization/make.ts";
import { expectForgotten, expectGone, makeEstate } from "./deletion.ts";

let api: TestApi;
let admin: Caller;
let other: Caller;

beforeAll(async () => {
  api = await makeApi();
  admin = await api.makeUser({ name: "boss", isAdmin: true });
  other = await api.makeUser({ name: "other" });
});
afterAll(() => api.stop());

const remove = (name: string, as: Caller | undefined = admin, query = "") =>
  api.call("DELETE", `/admin/users/${name}${query}`, { as });

describe("adminDeleteUser", () => {
  it("204: the user is gone, tokens and password no longer count, name and addresses are free; their texts show the ghost", async () => {
    const leaver = await api.makeUser({ name: "leaver" });
    await api.call("POST", "/user/repos", { as: other, body: { name: "kept" } });
    const issue = { as: leaver, body: { title: "mine" } };
    expect((await api.call("POST", "/repos/other/kept/issues", issue)).status).toBe(201);
    const comment = { as: leaver, body: { body: "mine, too" } };
    await api.call("POST", "/repos/other/kept/issues/1/comments", comment);
    expect((await remove("LEAVER")).status).toBe(204);
    expect((await api.call("GET", "/users/leaver", { as: admin })).status).toBe(404);
    expect((await api.call("GET", "/user", { as: leaver })).status).toBe(401);
    expect((await api.call("GET", "/repos/other/kept/issues/1")).json.user).toMatchObject({ id: -1 });
    const [shown] = (await api.call("GET", "/repos/other/kept/issues/1/comments")).json;
    expect(shown).toMatchObject({ body: "mine, too", user: { id: -1, login: "Ghost" } });
    expect((await remove("leaver")).status).toBe(404);
    const next = await api.makeUser({ name: "leaver" });
    expect(next.user.id).not.toBe(leaver.user.id);
    expect((await api.call("GET", "/repos/other/kept/issues/1")).json.user.login).toBe("Ghost");
  });

  it("B-14: 422 while the user owns a repository or is in an organization, and nothing changes; 204 without them", async () => {
    const owner = await api.makeUser({ name: "holder" });
    await api.call("POST", "/user/repos", { as: owner, body: { name: "held" } });
    await makeOrganization(api, owner, "held-guild");
    const first = await remove("holder");
    expect([first.status, first.json.message]).toEqual([422, expect.stringContaining("repositories")]);
    expect((await api.call("DELETE", "/repos/holder/held", { as: owner })).status).toBe(204);
    const second = await remove("holder");
    expect([second.status, second.json.message]).toEqual([422, expect.stringContaining("organization")]);
    expect((await api.call("POST", "/user/repos", { as: owner, body: { name: "again" } })).status).toBe(201);
    for (const path of ["/repos/holder/again", "/orgs/held-guild"])
      await api.call("DELETE", path, { as: owner });
    expect((await remove("holder")).status).toBe(204);
  });

  it("422: oneself, an organization; 404: nobody; 401 and 403 for everybody but administrators", async () => {
    await makeOrganization(api, other, "guild");
    expect((await remove("boss")).status).toBe(422);
    for (const query of ["", "?purge=true"]) {
      expect((await remove("guild", admin, query)).status).toBe(422);
      expect((await remove("nobody", admin, query)).status).toBe(404);
      expect((await remove("other", other, query)).status).toBe(403);
      expect((await api.call("DELETE", `/admin/users/other${query}`)).status).toBe(401);
    }
  });

  it("B-06: of two administrators who delete each other at the same time one stays", async () => {
    const rival = await api.makeUser({ name: "rival", isAdmin: true });
    const third = await api.makeUser({ name: "third", isAdmin: true });
    expect((await remove("boss", third)).status).toBe(204);
    const statuses = await Promise.all([remove("rival", third, "?purge=true"), remove("third", rival)]);
    expect(statuses.filter(({ status }) => status === 204)).toHaveLength(1);
    const left = statuses[0]?.status === 204 ? third : rival;
    expect((await api.call("GET", "/user", { as: left })).json.is_admin).toBe(true);
    const refused = await api.call("PATCH", `/admin/users/${left.name}`, {
      as: left,
      body: { admin: false },
    });
    expect(refused.status).toBe(422);
    admin = left;
  });

  it("a repository that is created while its owner is deleted is either there with its owner, or not at all", async () => {
    const racer = await api.makeUser({ name: "racer" });
    const [created, removed] = await Promise.all([
      api.call("POST", "/user/repos", { as: racer, body: { name: "late" } }),
      remove("racer"),
    ]);
    const isThere = (await api.call("GET", "/repos/racer/late", { as: admin })).status === 200;
    expect(isThere).toBe(created.status === 201);
    expect(removed.status === 204).toBe(!isThere && removed.status === 204);
    if (isThere) expect([422, 409]).toContain(removed.status);
  });
});

describe("adminDeleteUser with purge", () => {
  let api: TestApi;
  let admin: Caller;
  let other: Caller;

  beforeAll(async () => {
    api = await makeApi({ simulation: false });
    admin = await api.makeUser({ name: "boss", isAdmin: true });
    other = await api.makeUser({ name: "other" });
  });
  afterAll(() => api.stop());

  it("B-14: 204: the user's property is gone with the answer, organizations with another owner stay; the rest follows", async () => {
    const estate = await makeEstate(api, admin, other, 1);
    expect(
      (await api.call("DELETE", `/admin/users/${estate.victim.name}?purge=true`, { as: admin })).status,
    ).toBe(204);
    await expectGone(api, admin, estate);
    const found = await api.call("GET", "/repos/search?q=own", { as: admin });
    expect(found.headers.get("x-total-count")).toBe("0");
    await api.makeUser({ name: estate.victim.name, email: "second-1@example.com" });
    expect((await api.call("GET", estate.paths.own, { as: admin })).status).toBe(404);
    await expectForgotten(api, estate);
  });
});
