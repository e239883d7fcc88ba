import { beforeAll, describe, expect, it } from "vitest";
import { holdStandIns, makeForge } from "#tests/support/forge";
import { createRandom } from "#tests/support/random";
import { type ModelOptions, mistakes, runModel, showsUp } from "./model.ts";

const runs: readonly (ModelOptions & { readonly name: string })[] = [
  { name: "rival compactions", writers: 6, folders: 3, readers: 3, writes: 150, numbers: 100 },
  { name: "crashes", writers: 4, folders: 2, readers: 2, writes: 150, numbers: 60, crashChance: 0.1 },
  { name: "many ends", writers: 4, folders: 3, readers: 2, writes: 150, numbers: 300, endChance: 0.5 },
  {
    name: "damage",
    ...{ writers: 4, folders: 2, readers: 2, writes: 100, numbers: 60 },
    ...{ crashChance: 0.03, damageChance: 0.03 },
  },
];

describe("list index, any order of many thousand requests", () => {
  beforeAll(holdStandIns);

  it.each(runs)("$name: loses, doubles and invents nothing", async ({ name: _name, ...options }) => {
    let steps = 0;
    for (let round = 0; round < 3; round += 1) {
      const on = await makeForge();
      const random = createRandom();
      try {
        const report = await runModel(on, random, options);
        expect(report.violations, `SEED=${random.seed}`).toEqual([]);
        steps += report.steps;
      } finally {
        await on.stop();
      }
    }
    expect(steps).toBeGreaterThan(5_000);
  });

  it("finds a compaction of a delta that was read before the manifest: what has ended rises again", async () => {
    const many = { writers: 4, folders: 4, readers: 2, writes: 60, numbers: 40, endChance: 0.5 };
    expect(await showsUp({ ...many, folder: mistakes.compactsOldDelta }, 60)).toBe(true);
  });

  it("finds delta items that are cleared whatever their version is", async () => {
    const usual = { writers: 4, folders: 2, readers: 2, writes: 60, numbers: 40 };
    expect(await showsUp({ ...usual, folder: mistakes.clearsWhatIsNewer }, 30)).toBe(true);
  });
});
