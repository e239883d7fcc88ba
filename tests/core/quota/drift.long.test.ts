import { afterAll, beforeAll, it } from "vitest";
import { makeApi, type TestApi } from "#tests/support/api";
import { createRandom } from "#tests/support/random";
import { playDrift } from "./drift.ts";

let api: TestApi;
beforeAll(async () => {
  api = await makeApi({ simulation: false });
});
afterAll(() => api.stop());

it("totals are exact after 400 random operations by 8 clients at once with 3 crashes (QM-2)", async () => {
  await playDrift(api, createRandom(), { operations: 400, crashes: 3 });
});
