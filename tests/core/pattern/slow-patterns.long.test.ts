import { describe, expect, it } from "vitest";
import { parseGlob } from "#core/pattern/glob";
import { MatchTime } from "#core/pattern/match-time";
import { Patterns } from "#core/pattern/patterns";
import { wildmatch } from "#core/pattern/wildmatch";
import { createRandom } from "#tests/support/random";
import { ownMs } from "#tests/support/thread-time";

/** Runs what is matched and keeps how long the longest turn of the thread was. */
class Longest {
  ms = 0;
  rest = (): undefined => undefined;
  spend<T>(match: () => T): T {
    let result: T | undefined;
    this.ms = Math.max(
      this.ms,
      ownMs(() => {
        result = match();
      }),
    );
    return result as T;
  }
}

const globOf = (pattern: string): string => {
  const glob = parseGlob(pattern);
  return "source" in glob ? glob.source : "";
};
const { pick } = createRandom(7);
const letters = (length: number) => Array.from({ length }, () => pick(["a", "b"])).join("");

describe("patterns made to be slow", () => {
  it.each<[string, string[], string]>([
    ["globs whose steps all stay open", [globOf(`${"*a".repeat(400)}b`)], "a".repeat(1_000)],
    ["a run of stars", [globOf("*".repeat(1_000))], `${"a".repeat(999)}\n`],
    [
      "braces in braces",
      [globOf(`${"{*a,".repeat(19)}b${"}".repeat(19)}${"*a".repeat(100)}c`)],
      letters(1_000),
    ],
    [
      "a hundred that remember much",
      Array.from({ length: 100 }, (_, at) => globOf(`*a${"?".repeat(110)}${at}`)),
      letters(1_000),
    ],
    ["paths of folders of any name", [wildmatch(`${"**/*a*/".repeat(60)}b`) ?? ""], "aa/".repeat(300)],
  ])("hold the thread for a moment only: %s", async (_what, sources, text) => {
    const patterns = new Patterns(sources);
    const budget = new Longest();
    await patterns.matching(text, budget);
    expect(budget.ms).toBeLessThan(150);
  });

  it("are found in their order, whichever machine holds them", async () => {
    const sources = Array.from({ length: 500 }, (_, at) => globOf(`*${at % 7}*name-${at % 50}`));
    const found = await new Patterns(sources).matching("3-name-10", new MatchTime());
    expect(found).toEqual([10, 360].filter((at) => at % 7 === 3 && at % 50 === 10));
  });
});
