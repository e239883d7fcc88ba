import { beforeAll, describe, expect, it } from "vitest";
import { makeApi } from "#tests/support/api";
import { holdStandIns } from "#tests/support/forge";
import { makeEstate, purgeKilledAt } from "./deletion.ts";

beforeAll(holdStandIns);

/** In a forge of its own: it is read whole afterwards, and what others left would be read with it. */
async function isKilledAt(write: number): Promise<boolean> {
  const api = await makeApi({ simulation: false });
  const admin = await api.makeUser({ name: "boss", isAdmin: true });
  const other = await api.makeUser({ name: "other" });
  const estate = await makeEstate(api, admin, other, write);
  const wasKilled = await purgeKilledAt(api, admin, estate, write, write % 2 === 0 ? "after" : "before");
  await api.stop();
  return wasKilled;
}

describe("adminDeleteUser with purge", () => {
  it("B-14: killed at any of its writes, it is finished by others", async () => {
    let write = 1;
    while (await isKilledAt(write)) write += 1;
    expect(write).toBeGreaterThan(10);
  }, 900_000);
});
