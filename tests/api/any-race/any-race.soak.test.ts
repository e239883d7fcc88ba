import { afterAll, beforeAll, it } from "vitest";
import { makeApi, type TestApi } from "#tests/support/api";
import { createRandom } from "#tests/support/random";
import { raceOnce } from "./any-race.ts";
import { groups } from "./verbs.ts";

let api: TestApi;
beforeAll(async () => {
  api = await makeApi({ simulation: false });
});
afterAll(() => api.stop());

it.each(groups.map((names, group) => [group, names.join(", ")] as const))(
  "requests that meet leave the data sound, in whatever order and wherever they are killed (group %i: %s)",
  async (group) => {
    await raceOnce(api, createRandom(), { group, races: 12 });
  },
);
