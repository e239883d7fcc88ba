import { afterAll, beforeAll, it } from "vitest";
import { makeApi, type TestApi } from "#tests/support/api";
import { createRandom } from "#tests/support/random";
import { raceOnce } from "./any-race.ts";

let api: TestApi;
beforeAll(async () => {
  api = await makeApi({ simulation: false });
});
afterAll(() => api.stop());

it("requests about one issue that meet leave the data sound, a sample (all of them in the soak test)", async () => {
  await raceOnce(api, createRandom(), { group: 0, races: 4 });
});
