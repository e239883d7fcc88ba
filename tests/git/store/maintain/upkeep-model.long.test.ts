import { beforeAll, describe, expect, it } from "vitest";
import { holdStandIns, makeForge } from "#tests/support/forge";
import { createRandom } from "#tests/support/random";
import { forgetsNewPacks, removesAtOnce } from "./consolidators.ts";
import { runUpkeepModel, type UpkeepOptions } from "./upkeep-model.ts";

let lastId = 200_000;

async function run(options: Omit<UpkeepOptions, "repositoryId">, random = createRandom()) {
  const on = await makeForge();
  try {
    lastId += 1;
    return await runUpkeepModel(on, random, { repositoryId: lastId, ...options });
  } finally {
    await on.stop();
  }
}

describe("pushes, compactions, consolidations, sweeps and forks on one ROOT, any order of requests", () => {
  beforeAll(holdStandIns);

  it.each([
    ["sha1", 0],
    ["sha256", 0.02],
  ] as const)(
    "%s: lose no object and no ref, and leave nothing behind, killed at a share of %d",
    async (format, crashChance) => {
      const random = createRandom();
      const report = await run({ format, pushers: 2, pushes: 6, crashChance }, random);
      expect(report.violations.join("\n"), `SEED=${random.seed}`).toBe("");
      expect(report.sweeps).toBeGreaterThan(0);
    },
  );

  it.each([
    ["drops packs of pushes that came in between", forgetsNewPacks],
    ["removes at once what others may be reading", removesAtOnce],
  ])("finds a consolidation that %s", async (_, consolidator) => {
    let isFound = false;
    for (let tries = 0; tries < 25 && !isFound; tries += 1) {
      const { violations } = await run({ format: "sha1", pushers: 2, pushes: 6, consolidator });
      isFound = violations.length > 0;
    }
    expect(isFound).toBe(true);
  });
});
