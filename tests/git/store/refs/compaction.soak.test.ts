import { beforeAll, describe, expect, it } from "vitest";
import { holdStandIns, makeForge } from "#tests/support/forge";
import { createRandom } from "#tests/support/random";
import { runRefModel } from "./compaction-model.ts";

describe("compaction of the ref log, any order of many thousand requests", () => {
  beforeAll(holdStandIns);

  it.each([0, 0.05])(
    "loses, doubles and invents no ref, killed at a share of %d of all requests",
    async (crashChance) => {
      let steps = 0;
      for (let round = 0; round < 3; round += 1) {
        const on = await makeForge();
        const random = createRandom();
        try {
          const options = { pushers: 4, folders: 3, readers: 3, pushes: 80, crashChance };
          const report = await runRefModel(on, random, options);
          expect(report.violations, `SEED=${random.seed}`).toEqual([]);
          expect(report.compactionsWon).toBeGreaterThan(10);
          steps += report.steps;
        } finally {
          await on.stop();
        }
      }
      expect(steps).toBeGreaterThan(5_000);
    },
  );
});
