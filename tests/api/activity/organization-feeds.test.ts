import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { join, makeOrganization, makeRepository, makeTeam } from "#tests/api/organization/make";
import type { Caller, TestApi } from "#tests/support/api";
import { endActivity, feedOf, heatOf, startActivity, told } from "./make.ts";

let api: TestApi;
beforeAll(async () => {
  ({ api } = await startActivity());
});
afterAll(() => endActivity(api));

describe("orgListActivityFeeds", () => {
  it("200: what happens in the organization's repositories, as far as the caller may read them; what leaves it is gone", async () => {
    const [alice, member, eve] = [await api.makeUser(), await api.makeUser(), await api.makeUser()];
    await makeOrganization(api, alice, "acme");
    const open = await makeRepository(api, alice, "acme", "open");
    await makeRepository(api, alice, "acme", "closed", { private: true });
    await told(api);
    const names = async (path: string, as?: Caller) =>
      (await feedOf(api, path, as)).rows.map(({ repo, op_type: type }) => `${type} ${repo.name}`).sort();
    const all = ["create_repo closed", "create_repo open"];
    expect(await names("/orgs/acme", alice)).toEqual(all);
    expect(await names("/users/acme", alice)).toEqual(all);
    expect(await names("/orgs/acme", eve)).toEqual(["create_repo open"]);
    expect((await feedOf(api, "/orgs/acme")).rows[0]).toMatchObject({ user_id: open.owner.id });
    expect([await heatOf(api, "acme", alice), await heatOf(api, "acme", eve)]).toEqual([2, 1]);
    await api.call("POST", "/repos/acme/open/transfer", { as: alice, body: { new_owner: alice.name } });
    await told(api);
    expect(await names("/orgs/acme", alice)).toEqual(["create_repo closed"]);
    expect(await heatOf(api, "acme", alice)).toBe(1);
    const [moved] = (await feedOf(api, `/users/${alice.name}`, member)).rows;
    expect(moved).toMatchObject({ op_type: "transfer_repo", content: "acme/open", repo: { name: "open" } });
  });

  it("404: a private organization for strangers", async () => {
    const [alice, eve] = [await api.makeUser(), await api.makeUser()];
    await makeOrganization(api, alice, "cloak", { visibility: "private" });
    expect((await api.call("GET", "/orgs/cloak/activities/feeds", { as: eve })).status).toBe(404);
    expect((await api.call("GET", "/orgs/cloak/activities/feeds", { as: alice })).status).toBe(200);
  });
});

describe("orgListTeamActivityFeeds", () => {
  it("200: what happens in the team's repositories, to its members alone", async () => {
    const [alice, member, eve] = [await api.makeUser(), await api.makeUser(), await api.makeUser()];
    await makeOrganization(api, alice, "guild");
    await makeRepository(api, alice, "guild", "theirs");
    await makeRepository(api, alice, "guild", "other");
    const team = await makeTeam(api, alice, "guild", "some");
    await join(api, alice, team, member);
    await api.call("PUT", `/teams/${team}/repos/guild/theirs`, { as: alice });
    await told(api);
    const { rows, total } = await feedOf(api, `/teams/${team}`, member);
    expect([rows.map(({ repo }) => repo.name), total]).toEqual([["theirs"], 1]);
    const everything = await makeTeam(api, alice, "guild", "all", {
      ...{ permission: "read", units: ["repo.code"], includes_all_repositories: true },
    });
    expect((await feedOf(api, `/teams/${everything}`, alice)).total).toBe(2);
    const status = async (as?: Caller) =>
      (await api.call("GET", `/teams/${team}/activities/feeds`, { as })).status;
    expect([await status(eve), await status()]).toEqual([404, 401]);
    expect((await api.call("GET", `/teams/${everything}/activities/feeds`, { as: member })).status).toBe(403);
  });
});
