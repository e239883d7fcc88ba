import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeEstate, purgeKilledAt } from "./deletion.ts";

let api: TestApi;
let admin: Caller;
let other: Caller;

beforeAll(async () => {
  api = await makeApi({ simulation: false });
  admin = await api.makeUser({ name: "boss", isAdmin: true });
  other = await api.makeUser({ name: "other" });
});
afterAll(() => api.stop());

describe("adminDeleteUser with purge", () => {
  it("B-14: killed at any of its writes, it is finished by others", async () => {
    let write = 0;
    for (let wasKilled = true; wasKilled; ) {
      write += 1;
      const estate = await makeEstate(api, admin, other, write);
      wasKilled = await purgeKilledAt(api, admin, estate, write, write % 2 === 0 ? "after" : "before");
    }
    expect(write).toBeGreaterThan(10);
  }, 900_000);
});
