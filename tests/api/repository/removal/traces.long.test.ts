import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeApi, type TestApi } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";
import { findTracesOf, makeNextRepositoryOdd, oddRepositoryId } from "#tests/support/left-behind";
import { type FurnishingPeople, finishEvents, furnishRepository } from "../furnish.ts";

let api: TestApi;
let people: FurnishingPeople;

beforeAll(async () => {
  api = await makeApi({ settings: { ENABLE_FLAGS: "true" } });
  people = {
    boss: await api.makeUser({ name: "boss", isAdmin: true }),
    alice: await api.makeUser({ name: "alice" }),
    bob: await api.makeUser({ name: "bob" }),
  };
});
afterAll(() => api.stop());

describe("repoDelete of a repository with something of everything", () => {
  it("204: once its job is done neither the table nor the bucket names it any more", async () => {
    const { alice } = people;
    await makeNextRepositoryOdd(api.forge);
    expect(await furnishRepository(api, people)).toBe(oddRepositoryId);
    expect((await findTracesOf(api.forge, oddRepositoryId)).length).toBeGreaterThan(40);
    expect((await api.call("DELETE", "/repos/alice/laden", { as: alice })).status).toBe(204);
    await finishEvents(api);
    await finishJobs(api);
    await finishEvents(api);
    expect(await findTracesOf(api.forge, oddRepositoryId)).toEqual([]);
    expect((await api.call("GET", "/repos/alice/other/issues/1/timeline", { as: alice })).status).toBe(200);
  });
});
