import { describe, expect, it } from "vitest";
import { diffLines } from "#core/git/diff/lines/line-diff";
import { unifiedHunks } from "#core/git/diff/patch/unified";
import { bareRepository, git, gitText } from "#tests/git/pack/real-git";
import { createRandom, type Random } from "#tests/support/random";
import { editText, randomText } from "./random-trees.ts";

/** Long texts of few different lines, cut up and put together again: where short cuts decide. */
function shuffled(random: Random, lines: number, kinds: number): [string, string] {
  const line = () => `line ${random.integer(kinds)}\n`;
  const old = Array.from({ length: lines }, line);
  const fresh = [...old];
  for (let edits = random.integer(lines); edits >= 0; edits--) {
    const at = random.integer(fresh.length + 1);
    const kind = random.integer(4);
    if (kind === 0) fresh.splice(at, 1 + random.integer(3));
    else if (kind === 1) fresh.splice(at, 0, line());
    else if (kind === 2) fresh.splice(at, 1, line());
    else fresh.splice(random.integer(fresh.length + 1), 0, ...fresh.splice(at, random.integer(30)));
  }
  return [old.join(""), fresh.join("")];
}

function pair(random: Random, large: boolean): [string, string] {
  if (large) return shuffled(random, 2_000 + random.integer(4_000), random.pick([5, 40, 400, 20_000]));
  if (random.chance(0.3)) return shuffled(random, random.integer(200), random.pick([2, 5, 40]));
  const text = randomText(random, 200);
  return [text, random.chance(0.1) ? randomText(random) : editText(random, text)];
}

/** Compares line diffs with those of `git diff --no-index`. */
export function testLineDiffs({ rounds = 12, large = false } = {}): void {
  describe("line diffs", () => {
    const random = createRandom();
    it(`of ${large ? "large" : "small"} texts are git's (SEED=${random.seed})`, {
      timeout: 600_000,
    }, async () => {
      const folder = await bareRepository("sha1");
      const keep = (text: string) => gitText(folder, ["hash-object", "-w", "--stdin"], text);
      for (let round = 0; round < rounds; round++) {
        const [old, fresh] = pair(random, large);
        const args = ["diff", "--no-ext-diff", await keep(old), await keep(fresh)];
        const text = (await git(folder, args)).toString("latin1");
        const hunks = Buffer.concat([...unifiedHunks(diffLines(Buffer.from(old), Buffer.from(fresh)))]);
        const from = text.indexOf("\n@@");
        expect(hunks.toString("latin1"), `round ${round}`).toBe(from < 0 ? "" : text.slice(from + 1));
      }
    });
  });
}
