import { mkdir, writeFile } from "node:fs/promises";
import { afterAll, describe, expect, it } from "vitest";
import { diffLines } from "#core/git/diff/lines/line-diff";
import { type IgnoredWhitespace, withoutWhitespace } from "#core/git/diff/lines/whitespace";
import { Folders, runGit } from "#tests/git/http/real-git";
import { createRandom } from "#tests/support/random";

const folders = new Folders();
afterAll(() => folders.remove());

const flags = {
  "ignore-all": "-w",
  "ignore-change": "-b",
  "ignore-eol": "--ignore-space-at-eol",
} as const satisfies Record<IgnoredWhitespace, string>;
const pieces = ["a", "b", "c", " ", "  ", "\t", "\r", "\f", ""];

describe("withoutWhitespace", () => {
  const random = createRandom();

  it(`leaves of random texts the lines that git counts (SEED=${random.seed})`, async () => {
    const line = () => Array.from({ length: random.integer(5) }, () => random.pick(pieces)).join("");
    const text = () => {
      const lines = Array.from({ length: random.integer(8) }, line);
      return lines.join("\n") + (random.chance(0.5) ? "\n" : "");
    };
    const folder = await folders.make();
    const pairs = Array.from({ length: 200 }, () => [text(), text()] as const);
    for (const [at, side] of ["old", "new"].entries()) {
      await mkdir(`${folder}/${side}`);
      for (const [number, pair] of pairs.entries())
        await writeFile(`${folder}/${side}/${number}`, pair[at] as string);
    }
    for (const [ignored, flag] of Object.entries(flags) as [IgnoredWhitespace, string][]) {
      const { stdout } = await runGit(folder, [
        ...["diff", "--no-index", "--no-renames", "--numstat", flag, "old", "new"],
      ]);
      const counted = pairs.flatMap(([before, after], number) => {
        const [old, fresh] = [before, after].map((one) => withoutWhitespace(Buffer.from(one), ignored));
        const { changes } = diffLines(old as Buffer, fresh as Buffer);
        const added = changes.reduce((sum, { newCount }) => sum + newCount, 0);
        const deleted = changes.reduce((sum, { oldCount }) => sum + oldCount, 0);
        return added + deleted === 0 ? [] : [[number, `${added}\t${deleted}`] as const];
      });
      const ofGit = stdout
        .toString()
        .split("\n")
        .filter((row) => row !== "")
        .map((row): [number, string] => {
          const [added, deleted, name = ""] = row.split("\t");
          return [Number(/(\d+)\}?$/.exec(name)?.[1]), `${added}\t${deleted}`];
        });
      expect(new Map(counted), flag).toEqual(new Map(ofGit));
    }
  });
});
