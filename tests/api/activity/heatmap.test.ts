import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openIssue } from "#tests/api/issue/make";
import { tell } from "#tests/api/notification/make";
import { makeRepository } from "#tests/api/repository/make";
import { makeApi, type TestApi } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";
import { endActivity, feedOf, heatOf, startActivity } from "./make.ts";

let api: TestApi;
beforeAll(async () => {
  ({ api } = await startActivity());
});
afterAll(() => endActivity(api));

describe("userGetHeatmapData", () => {
  it("200: three actions within a quarter of an hour are one point of three (scenario 3)", async () => {
    const alice = await api.makeUser();
    const quarter = 15 * 60_000;
    api.clock.advance(quarter - (api.clock.now() % quarter));
    const place = await makeRepository(api, alice);
    await openIssue(api, place, alice);
    await openIssue(api, place, alice);
    const first = api.clock.now() / 1000;
    await tell(api);
    api.clock.advance(quarter);
    await openIssue(api, place, alice);
    await tell(api);
    const { json } = await api.call("GET", `/users/${alice.name}/heatmap`);
    expect(json).toEqual([
      { timestamp: first, contributions: 3 },
      { timestamp: first + 900, contributions: 1 },
    ]);
    await api.call("PATCH", place.path, { as: alice, body: { private: true } });
    expect([await heatOf(api, alice.name), await heatOf(api, alice.name, alice)]).toEqual([0, 4]);
    await finishJobs(api);
    api.clock.advance(372 * 24 * 3_600_000);
    expect(await heatOf(api, alice.name, alice)).toBe(0);
    expect((await feedOf(api, `/users/${alice.name}`, alice)).rows).toEqual([]);
  });

  it("404 unless the installation counts (ENABLE_USER_HEATMAP)", async () => {
    const off = await makeApi({ settings: { ENABLE_USER_HEATMAP: "false" } });
    const user = await off.makeUser();
    expect((await off.call("GET", `/users/${user.name}/heatmap`, { as: user })).status).toBe(404);
    await off.stop();
  });
});
