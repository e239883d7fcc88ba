import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { join, makeOrganization, makeRepository, makeTeam } from "./make.ts";

/** The cost of rights, in requests and units of DynamoDB (`docs/data`), without conflicts. */
let api: TestApi;
let alice: Caller;
let bob: Caller;

beforeAll(async () => {
  api = await makeApi({ simulation: false });
  [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
  await makeOrganization(api, alice, "acme");
  for (const as of [alice, bob]) await api.call("GET", "/user", { as }); // the first use of a token is written down
});
afterAll(() => api.stop());

/** Requests, read units and write units of an answer. */
async function cost(method: string, path: string, as: Caller, body?: object): Promise<number[]> {
  const { status, headers } = await api.call(method, path, { as, ...defined({ body }) });
  expect(status).toBeLessThan(300);
  const words = /table;desc="(\d+) requests, ([\d.]+) read and ([\d.]+) write/;
  return (words.exec(headers.get("server-timing") ?? "") ?? []).slice(1).map(Number);
}

describe("rights on a repository of an organization", () => {
  it("take three requests for who comes for the first time, one after that, and no write", async () => {
    const team = await makeTeam(api, alice, "acme", "crew");
    await join(api, alice, team, bob);
    await makeRepository(api, alice, "acme", "shed", { private: true });
    await api.call("PUT", `/teams/${team}/repos/acme/shed`, { as: alice });
    const [first, second] = [
      await cost("GET", "/repos/acme/shed", bob),
      await cost("GET", "/repos/acme/shed", bob),
    ];
    expect(first).toEqual([4, 11, 0]); // 3 for caller, names and rights, 1 for counts and card
    expect(second).toEqual([2, 11, 0]);
  });

  it("are written in a handful of items, however many repositories a team has", async () => {
    const team = await makeTeam(api, alice, "acme", "wide", {
      units: ["repo.code"],
      includes_all_repositories: true,
    });
    const narrow = await makeTeam(api, alice, "acme", "narrow");
    for (let at = 0; at < 20; at += 1) await makeRepository(api, alice, "acme", `r${at}`);
    const joining = await cost("PUT", `/teams/${team}/members/bob`, alice);
    expect(joining).toEqual(await cost("PUT", `/teams/${narrow}/members/bob`, alice));
    expect(joining).toEqual([7, 12, 12]);
    expect([
      await cost("PATCH", `/teams/${team}`, alice, { units_map: { "repo.code": "write" } }),
      await cost("DELETE", `/teams/${team}/members/bob`, alice),
      await cost("POST", "/orgs", alice, { username: "new" }),
      await cost("PUT", "/repos/acme/shed/collaborators/bob", alice, {}),
      await cost("PUT", `/teams/${team}/repos/acme/shed`, alice),
      await cost("POST", `/orgs/acme/teams`, alice, { name: "x", units: ["repo.code"] }),
    ]).toEqual([
      [5, 8, 4],
      [7, 12, 10],
      [5, 3, 24],
      [5, 12, 12],
      [5, 14, 8],
      [6, 7, 9],
    ]);
  });
});
