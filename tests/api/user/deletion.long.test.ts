import { beforeAll, describe, expect, it } from "vitest";
import { makeApi } from "#tests/support/api";
import { holdStandIns } from "#tests/support/forge";
import { type Killed, killedAtEverySecond } from "#tests/support/race/killed-at-each";
import { makeEstate, purgeKilledAt } from "./deletion.ts";

beforeAll(holdStandIns);

/** In a forge of its own: it is read whole afterwards, and what others left would be read with it. */
async function killedAt(write: number, when: "before" | "after"): Promise<Killed> {
  const api = await makeApi({ simulation: false });
  const admin = await api.makeUser({ name: "boss", isAdmin: true });
  const other = await api.makeUser({ name: "other" });
  const estate = await makeEstate(api, admin, other, write);
  const killed = await purgeKilledAt(api, admin, estate, write, when);
  await api.stop();
  return killed;
}

describe("adminDeleteUser with purge", () => {
  it("B-14: killed before write 14, it is finished by others, whatever was done by then", async () => {
    expect((await killedAt(14, "before")).wasKilled).toBe(true);
  });

  it("B-14: killed at any of its writes, it is finished by others", async () => {
    expect(await killedAtEverySecond(killedAt)).toBeGreaterThan(10);
  }, 900_000);
});
