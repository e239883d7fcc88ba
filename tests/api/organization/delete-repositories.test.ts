import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Caller, TestApi } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";
import { join, makeOrganization, makeRepository, makeTeam, namesIn, startOrganizations } from "./make.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let boss: Caller;
let org: string;
let made = 0;

beforeAll(async () => {
  ({ api, alice, bob, boss } = await startOrganizations());
});
beforeEach(async () => {
  made += 1;
  org = `works-${made}`;
  await makeOrganization(api, alice, org);
});
afterAll(() => api.stop());

const remove = async (as?: Caller) => {
  const { status, text } = await api.call("DELETE", `/orgs/${org}/repos`, { as });
  return [status, text];
};
const left = async () => namesIn(await api.call("GET", `/orgs/${org}/repos?limit=50`, { as: alice }));

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

  it("202: interrupted, a worker goes on; what comes meanwhile stays, and what went away does", async () => {
    for (let at = 0; at < 4; at += 1) await makeRepository(api, alice, org, `r${at}`);
    const fits = (input: { TransactItems: unknown[] }) => JSON.stringify(input).includes("empty-repository");
    const fault = new Error("the table is down");
    api.faults.inject({ service: "dynamodb", operation: "TransactWriteItems", fault, skip: 1, fits });
    expect(await remove(alice)).toEqual([202, ""]);
    expect(await left()).toHaveLength(3);
    const moved = { new_owner: "alice" };
    expect((await api.call("POST", `/repos/${org}/r3/transfer`, { as: alice, body: moved })).status).toBe(
      202,
    );
    await makeRepository(api, alice, org, "later");
    api.clock.advance(60_000);
    await finishJobs(api);
    expect(await left()).toEqual([`${org}/later`]);
    expect((await api.call("GET", "/repos/alice/r3")).status).toBe(200);
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
