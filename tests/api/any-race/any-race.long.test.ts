import { afterAll, beforeAll, it } from "vitest";
import { makeApi, type TestApi } from "#tests/support/api";
import { createRandom } from "#tests/support/random";
import { raceOnce } from "./any-race.ts";

let api: TestApi;
beforeAll(async () => {
  api = await makeApi({ simulation: false });
});
afterAll(() => api.stop());

it.each([
  ["one issue", 0],
  ["one pull request and its branches", 11],
  ["releases of one repository", 13],
])(
  "requests about %s that meet leave the data sound, a sample (all of them in the soak test)",
  async (_what, group) => {
    await raceOnce(api, createRandom(), { group, races: 4 });
  },
);
