import { describe, expect, it } from "vitest";
import { wordsOf, wordTest } from "#core/issue/words";

describe("wordsOf", () => {
  it("D-SEARCH: runs of letters and digits of any script, lower case, compatibility forms folded", () => {
    expect(wordsOf("Über-Größe, v2.0_β: ＡＢＣ\n日本")).toEqual([
      "über",
      "größe",
      "v2",
      "0",
      "β",
      "abc",
      "日本",
    ]);
    expect(wordsOf("?! …")).toEqual([]);
  });
});

describe("wordTest", () => {
  const matches = (query: string, text: string) => wordTest(query)?.(text);

  it("D-SEARCH: all words must be there, in any order", () => {
    expect(matches("saving crash", "Crash when saving")).toBe(true);
    expect(matches("saving crash", "Crash when loading")).toBe(false);
  });

  it("D-SEARCH: the last word may be a beginning of three letters or more, the others may not", () => {
    expect(matches("sav", "Crash when saving")).toBe(true);
    expect(matches("sa", "Crash when saving")).toBe(false);
    expect(matches("sav crash", "Crash when saving")).toBe(false);
    expect(matches("sa", "S.A.; the sa of it")).toBe(true);
  });

  it("a query without a word tests nothing", () => {
    expect(wordTest("")).toBeUndefined();
    expect(wordTest(" -- ")).toBeUndefined();
  });
});
