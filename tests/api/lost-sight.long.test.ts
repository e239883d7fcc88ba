import { afterAll, beforeAll, expect, it } from "vitest";
import { makeApi, type TestApi } from "#tests/support/api";
import { createRandom } from "#tests/support/random";
import { loseSight } from "./lost-sight.ts";

let api: TestApi;
beforeAll(async () => {
  api = await makeApi({ simulation: false });
});
afterAll(() => api.stop());

it("no list names or counts what the caller may not see any more, a sample (more of it in the soak test)", async () => {
  expect(await loseSight(api, createRandom(), { number: 0, steps: 6 })).toBeGreaterThan(1);
});
