import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { holdStandIns, makeForge, type TestForge } from "#tests/support/forge";
import { createRandom } from "#tests/support/random";
import { isLost, type ModelOptions, mistakes, runModel, showsUp } from "./model.ts";

const usual: ModelOptions = { writers: 4, folders: 2, readers: 2, writes: 15, numbers: 40 };

describe("directory, any order of requests", () => {
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

  it("loses, doubles and invents nothing, with rival folds, laggard reads and sweeps", async () => {
    const { violations, foldsWon, of } = await run(usual);
    expect(violations, of).toEqual([]);
    expect(foldsWon).toBeGreaterThan(0);
  });

  it("nor when folds crash between any two steps", async () => {
    const { violations, crashes, of } = await run({ ...usual, writes: 25, crashChance: 0.1 });
    expect(violations, of).toEqual([]);
    expect(crashes).toBeGreaterThan(0);
  });

  it("nor when segments get lost and damaged", async () => {
    const { violations, of } = await run({ ...usual, crashChance: 0.02, damageChance: 0.05 });
    expect(violations, of).toEqual([]);
  });

  it("finds a reader that reads the pointer before the tail", async () => {
    expect(await showsUp({ ...usual, reader: mistakes.readsPointerFirst })).toBe(true);
  });

  it("finds segments that are named by generation", async () => {
    expect(await showsUp({ ...usual, folder: mistakes.namesByGeneration })).toBe(true);
  });

  it("a fold without rivals always wins, which it does not when it clears the tail in its transaction", async () => {
    const alone = { ...usual, folders: 1, readers: 0 };
    expect((await run(alone)).foldsLost).toBe(0);
    expect(await isLost({ ...alone, folder: mistakes.clearsInTransaction })).toBe(true);
  });
});
