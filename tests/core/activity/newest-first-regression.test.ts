import { afterAll, beforeAll, expect, it } from "vitest";
import { activityKey, repositoryActivities } from "#core/activity/activity.table";
import { newestFirst, type Source } from "#core/activity/newest-first";
import { put } from "#core/table/write";
import { makeForge, type TestForge } from "#tests/support/forge";

let test: TestForge;
beforeAll(async () => {
  test = await makeForge({ simulation: false });
});
afterAll(() => test.stop());

// All of them may hold the newest of that day, so none was told before all were read, which are too many to read.
it("a day of somebody who watches more than 200 busy repositories is not empty (fixed)", async () => {
  const { table } = test.forge;
  const day = { fromMs: 1_000_000, endMs: 2_000_000 };
  const sources: Source[] = [];
  for (let repositoryId = 1; repositoryId <= 230; repositoryId += 1) {
    const pk = repositoryActivities(repositoryId);
    const at = day.fromMs + repositoryId;
    const key = activityKey(pk, { at, eventId: "event", place: 0 });
    await table.write(put({ ...key, repositoryId, at }));
    sources.push({ pk, newestAt: 3_000_000 });
  }
  const told: number[] = [];
  const activities = newestFirst(test.forge, sources, day, 50);
  let read = await activities.next();
  for (; read.done !== true; read = await activities.next()) told.push(...read.value.map(({ at }) => at));
  expect([told.length, read.value]).toEqual([200, false]);
  expect(told).toEqual(told.toSorted((one, other) => other - one));
});
