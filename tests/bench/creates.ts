import type { Forge } from "#core/forge";
import { createIssue } from "#core/issue/issue";
import { makeTracker } from "../core/issue/make.ts";
import { makeForge } from "../support/forge.ts";
import { onItsOwn } from "./apart.ts";
import { type BenchContext, type Figures, median } from "./bench.ts";

const creates = 200;
const runs = 5;

/**
 * How long 200 concurrent creates of issues in one repository take, while each transaction holds its items for 10 ms
 * and refuses others meanwhile, like DynamoDB. The aim is 2 s.
 */
export async function createFigures(context: BenchContext): Promise<Figures> {
  const rows = [["200 creates at once", "wall (each run)", "median"]];
  rows.push(await measure(context, "in one process", (forge) => forge));
  // A line of turns belongs to its settings: with settings of its own nobody knows of the others, as on Lambda.
  rows.push(
    await measure(context, "each as in a process of its own", (forge) => ({
      ...forge,
      config: { ...forge.config },
    })),
  );
  return { title: "Issues created at once (transactions held 10 ms)", rows };
}

async function measure(
  context: BenchContext,
  name: string,
  ofProcess: (forge: Forge) => Forge,
): Promise<string[]> {
  const test = await makeForge({ ...onItsOwn(context), simulation: { holdMs: 10 } });
  try {
    const walls: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      const { access, actor } = await makeTracker(test.forge);
      const began = performance.now();
      const made = await Promise.all(
        Array.from({ length: creates }, (_, at) =>
          createIssue(ofProcess(test.forge), access, { title: `Issue ${at}` }, actor),
        ),
      );
      walls.push(performance.now() - began);
      if (new Set(made.map(({ number }) => number)).size !== creates)
        throw new Error("a number was given twice");
    }
    return [name, walls.map(seconds).join(" "), seconds(median(walls))];
  } finally {
    await test.stop();
  }
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;
