import { afterAll, beforeAll, expect, it } from "vitest";
import { makeApi, type TestApi } from "#tests/support/api";
import { createRandom } from "#tests/support/random";
import { loseSight } from "./lost-sight.ts";

let api: TestApi;
beforeAll(async () => {
  api = await makeApi({ simulation: false });
});
afterAll(() => api.stop());

it.each([0, 1, 2, 3])(
  "no list names or counts what the caller may not see any more, in a process that has listed it before (B-18, D-HIDDEN; world %i)",
  async (number) => {
    expect(await loseSight(api, createRandom(), { number, steps: 80 })).toBeGreaterThan(20);
  },
);
