import { describe, expect, it } from "vitest";
import { wordsOf, wordTest } from "#core/issue/words";

const longest = 65_536;

describe("wordsOf", () => {
  it.each([
    ["marks that have to be put in order", `a${"\u0323\u0307\u0301\u0302".repeat(longest / 4)}`],
    ["marks of two classes", `a${"\u0301".repeat(longest / 2)}${"\u0323".repeat(longest / 2)}`],
    ["characters that fold into eighteen", "\ufdfa".repeat(longest)],
  ])("needs milliseconds for a text as long as a body may be: %s", (_what, text) => {
    wordsOf(text);
    const started = performance.now();
    wordsOf(text);
    expect(performance.now() - started).toBeLessThan(200);
  });

  it("finds the same words wherever stretches of a long text end", () => {
    const words = Array.from({ length: 2_000 }, (_, at) => `e\u0301t${at.toString(36)}`);
    const folded = words.map((word) => word.normalize("NFKC"));
    expect(wordsOf(words.join(" "))).toEqual(folded);
    expect(wordsOf(words.join(", "))).toEqual(folded);
    expect(wordTest("étbcd")?.(`${"x ".repeat(20_000)}e\u0301tbcde`)).toBe(true);
  });
});
