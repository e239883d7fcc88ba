import { beforeAll, describe, expect, it } from "vitest";
import { holdStandIns, makeForge } from "#tests/support/forge";
import { createRandom } from "#tests/support/random";
import { runUpkeepModel } from "./upkeep-model.ts";

const rounds = 4;
let lastId = 300_000;

describe.each(["sha1", "sha256"] as const)(
  "pushes and all upkeep on one ROOT (%s), many orders",
  (format) => {
    beforeAll(holdStandIns);

    it.each([0, 0.03])(
      "lose no object and no ref, and leave nothing behind, killed at a share of %d",
      async (crashChance) => {
        let crashes = 0;
        for (let round = 0; round < rounds; round += 1) {
          const on = await makeForge();
          const random = createRandom();
          lastId += 1;
          const options = { repositoryId: lastId, format, pushers: 3, pushes: 16, crashChance };
          try {
            const report = await runUpkeepModel(on, random, options);
            expect(report.violations.join("\n"), `SEED=${random.seed}`).toBe("");
            expect(report.landed).toBeGreaterThan(16);
            crashes += report.crashes;
          } finally {
            await on.stop();
          }
        }
        expect(crashes > 0).toBe(crashChance > 0);
      },
    );
  },
);
