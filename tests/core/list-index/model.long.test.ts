import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { holdStandIns, makeForge, type TestForge } from "#tests/support/forge";
import { createRandom } from "#tests/support/random";
import { isLost, type ModelOptions, mistakes, runModel, showsUp } from "./model.ts";

const usual: ModelOptions = { writers: 4, folders: 2, readers: 2, writes: 15, numbers: 40 };

describe("list index, any order of requests", () => {
  let on: TestForge;
  beforeAll(holdStandIns);
  beforeEach(async () => {
    on = await makeForge();
  });
  afterEach(() => on.stop());

  async function run(options: ModelOptions) {
    const random = createRandom();
    const report = await runModel(on, random, options);
    return { ...report, violations: report.violations, of: `SEED=${random.seed}` };
  }

  it("loses, doubles and invents nothing, with rival compactions, laggard reads and sweeps", async () => {
    const { violations, compactionsWon, of } = await run(usual);
    expect(violations, of).toEqual([]);
    expect(compactionsWon).toBeGreaterThan(0);
  });

  it("nor when compactions crash between any two steps", async () => {
    // Whether one crashes depends on the order in which the machine answers: runs are added until one did.
    let crashed = 0;
    for (let tries = 0; tries < 10 && crashed === 0; tries += 1) {
      const random = createRandom();
      const world = await makeForge();
      try {
        const options = { ...usual, writes: 25, crashChance: 0.1 };
        const { violations, crashes } = await runModel(world, random, options);
        expect(violations, `SEED=${random.seed}`).toEqual([]);
        crashed = crashes;
      } finally {
        await world.stop();
      }
    }
    expect(crashed).toBeGreaterThan(0);
  });

  it("nor when segments get lost and damaged", async () => {
    const { violations, of } = await run({ ...usual, crashChance: 0.02, damageChance: 0.05 });
    expect(violations, of).toEqual([]);
  });

  it("finds a reader that reads the manifest before the delta", async () => {
    expect(await showsUp({ ...usual, reader: mistakes.readsManifestFirst })).toBe(true);
  });

  it("finds segments that are named by generation", async () => {
    expect(await showsUp({ ...usual, folder: mistakes.namesByGeneration })).toBe(true);
  });

  it("a compaction without rivals always wins, which it does not when it clears the delta in its transaction", async () => {
    const alone = { ...usual, folders: 1, readers: 0 };
    expect((await run(alone)).compactionsLost).toBe(0);
    expect(await isLost({ ...alone, folder: mistakes.clearsInTransaction })).toBe(true);
  });
});
