import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { holdStandIns, makeForge, type TestForge } from "#tests/support/forge";
import { createRandom } from "#tests/support/random";
import { movesBaseTooFar, type RefModelOptions, runRefModel } from "./compaction-model.ts";

let on: TestForge;
beforeAll(holdStandIns);
beforeEach(async () => {
  on = await makeForge();
});
afterEach(() => on.stop());

describe("compaction of the ref log, any order of requests", () => {
  const usual: RefModelOptions = { pushers: 3, folders: 2, readers: 2, pushes: 9 };

  it("loses, doubles and invents no ref, with rival compactions, crashes, laggard reads and sweeps", async () => {
    const random = createRandom();
    const { violations, compactionsWon } = await runRefModel(on, random, { ...usual, crashChance: 0.03 });
    expect(violations, `SEED=${random.seed}`).toEqual([]);
    expect(compactionsWon).toBeGreaterThan(0);
  });

  it("finds a compaction that moves the base over pushes that came in between", async () => {
    let isFound = false;
    for (let tries = 0; tries < 25 && !isFound; tries += 1) {
      const world = await makeForge();
      try {
        const { violations } = await runRefModel(world, createRandom(), {
          ...usual,
          folder: movesBaseTooFar,
        });
        isFound = violations.length > 0;
      } finally {
        await world.stop();
      }
    }
    expect(isFound).toBe(true);
  });
});
