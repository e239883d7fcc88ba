import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openIssue } from "#tests/api/issue/make";
import { makeOrganization } from "#tests/api/organization/make";
import { makeRepository } from "#tests/api/repository/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { feedOf, heatOf, told } from "./make.ts";

let api: TestApi;
let alice: Caller;

beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  for (const isPrivate of [false, true]) {
    const repository = await makeRepository(api, alice, { isPrivate });
    await openIssue(api, repository, alice, { title: isPrivate ? "Secret" : "Known" });
  }
  await makeOrganization(api, alice, "acme");
  for (const name of ["open", "closed"]) {
    const body = { name, private: name === "closed" };
    expect((await api.call("POST", "/orgs/acme/repos", { as: alice, body })).status).toBe(201);
    const as = alice;
    await api.call("POST", `/repos/acme/${name}/issues`, { as, body: { title: `Of ${name}` } });
  }
  await told(api);
});
afterAll(() => api.stop());

const withScopes = async (...scopes: string[]): Promise<Caller> => ({
  ...alice,
  token: await api.makeToken(alice, scopes),
});
const arePrivate = async (path: string, as: Caller) =>
  new Set((await feedOf(api, path, as)).rows.map(({ repo }) => repo.private));

describe("tokens that ask for activity (semantics §2.5, §67.2)", () => {
  it("see what their user may see: the scope is that of the path, as in the family", async () => {
    const asUser = await withScopes("read:user");
    expect(await arePrivate("/users/alice", asUser)).toEqual(new Set([true, false]));
    expect(await heatOf(api, "alice", asUser)).toBe(await heatOf(api, "alice", alice));
    const asMember = await withScopes("read:organization");
    const [team] = (await api.call("GET", "/orgs/acme/teams", { as: alice })).json;
    for (const path of ["/orgs/acme", `/teams/${team.id}`]) {
      expect(await arePrivate(path, asMember)).toEqual(new Set([true, false]));
    }
  });

  it("of public scope see what is public alone, and count no more", async () => {
    const asUser = await withScopes("read:user", "public-only");
    expect(await arePrivate("/users/alice", asUser)).toEqual(new Set([false]));
    expect(await heatOf(api, "alice", asUser)).toBeLessThan(await heatOf(api, "alice", alice));
    const asMember = await withScopes("read:organization", "public-only");
    expect(await arePrivate("/orgs/acme", asMember)).toEqual(new Set([false]));
  });

  it("403: of another scope", async () => {
    const as = await withScopes("read:repository");
    for (const path of [
      "/users/alice/activities/feeds",
      "/users/alice/heatmap",
      "/orgs/acme/activities/feeds",
    ]) {
      expect((await api.call("GET", path, { as })).status).toBe(403);
    }
  });
});
