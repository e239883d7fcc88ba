import { describe, expect, it } from "vitest";
import { holdTimeStill } from "#tests/support/still-time";
import { makeOrganization } from "../organization/make.ts";
import { alice, api, create, useTeams } from "./teams-world.ts";

useTeams();

describe("orgCreateTeam", () => {
  it("201: ten at once, each of them in the list and in effect", async () => {
    holdTimeStill();
    await makeOrganization(api, alice, "busy");
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, at) => create(alice, { name: `t${at}`, units: ["repo.code"] }, "busy")),
    );
    expect(made.map(({ status }) => status)).toEqual(Array(10).fill(201));
    const { json } = await api.call("GET", "/orgs/busy/teams", { as: alice });
    expect(json).toHaveLength(11);
  });
});

describe("userListTeams", () => {
  it("200: of organizations that are there; with a public-only token of public ones", async () => {
    const dana = await api.makeUser({ name: "dana" });
    const names = async (token = dana.token) =>
      (await api.call("GET", "/user/teams", { headers: { authorization: `token ${token}` } })).json.map(
        ({ organization }: { organization: { name: string } }) => organization.name,
      );
    for (const name of ["lit", "gone"]) await makeOrganization(api, dana, name);
    await makeOrganization(api, dana, "dark", { visibility: "limited" });
    await api.call("DELETE", "/orgs/gone", { as: dana });
    expect(await names()).toEqual(["lit", "dark"]);
    expect(await names(await api.makeToken(dana, ["public-only", "all"]))).toEqual(["lit"]);
  });
});
