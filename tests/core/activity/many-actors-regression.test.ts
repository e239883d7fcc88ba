import { afterAll, beforeAll, expect, it } from "vitest";
import { countName, hourKey, ttlOf } from "#core/activity/activity.table";
import { put } from "#core/table/write";
import { heatOf } from "#tests/api/activity/make";
import { tableRequests } from "#tests/api/issue/make";
import { makeOrganization, makeRepository } from "#tests/api/organization/make";
import { makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
beforeAll(async () => {
  api = await makeApi({ simulation: false });
});
afterAll(() => api.stop());

// Every user of a year was read: a hundred for each request, as many as there were.
it("a heat map of very many users reads 2,000 of them, the newest first (fixed)", async () => {
  const alice = await api.makeUser();
  await makeOrganization(api, alice, "crowd");
  const place = await makeRepository(api, alice, "crowd", "open");
  const counted = 500;
  for (let hour = 0; hour < 12; hour += 1) {
    const at = api.clock.now() - hour * 3_600_000;
    const actors = Array.from({ length: counted }, (_, one) => 1_000_000 + hour * counted + one);
    if (hour === 0) actors.push(alice.user.id);
    const counts = actors.map((actorId) => [
      countName({ at, repositoryId: place.id, actorId, unit: "issues" }),
      1,
    ]);
    const key = hourKey(place.owner.id, at, false);
    await api.forge.table.write(
      put({ ...key, ...Object.fromEntries(counts), n: counted, ttl: ttlOf(at), _v: 1 }),
    );
  }
  const answer = await api.call("GET", "/users/crowd/heatmap", { as: alice });
  expect(tableRequests(answer)).toBeLessThan(40);
  expect(await heatOf(api, "crowd", alice)).toBe(1);
});
