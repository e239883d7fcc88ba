import { describe, expect, it } from "vitest";
import { matchesWord, queryWords, wordsOf } from "#core/word-index/words";

describe("wordsOf", () => {
  const words = (...texts: string[]) => [...wordsOf(...texts)];

  it("D-SEARCH: runs of letters and digits of any script, lower case, compatibility forms folded", () => {
    expect(words("Über-Größe, v2.0_β: ＡＢＣ ½")).toEqual(["über", "größe", "v2", "0", "β", "abc", "1", "2"]);
    expect(words("हिन्दी İstanbul ΟΔΟΣ ὁδός")).toEqual(["हिन्दी", "istanbul", "οδοσ", "ὁδόσ"]);
    expect(words("?! … \u{1f600} \ud800")).toEqual([]);
  });

  it("each two neighbors of scripts without spaces, and the last character of a run", () => {
    expect(words("日本語とEnglish")).toEqual(["日本", "本語", "語と", "と", "english"]);
    expect(words("한국어, ไทย")).toEqual(["한국", "국어", "어", "ไท", "ทย", "ย"]);
  });

  it("the first 256 different words, those of the title first", () => {
    const text = Array.from({ length: 300 }, (_, at) => `word${at} word${at}`).join("\n");
    expect(words("title", text)).toEqual(["title", ...Array.from({ length: 255 }, (_, at) => `word${at}`)]);
  });
});

describe("queryWords", () => {
  const matches = (query: string, text: string) => {
    const all = [...wordsOf(text)];
    return queryWords(query).every((wanted) => all.some((word) => matchesWord(word, wanted)));
  };

  it("D-SEARCH: all words must be there, in any order", () => {
    expect(matches("saving crash", "Crash when saving")).toBe(true);
    expect(matches("saving crash", "Crash when loading")).toBe(false);
  });

  it("D-SEARCH: the last word may be a beginning of three letters or more, the others may not", () => {
    expect(matches("sav", "Crash when saving")).toBe(true);
    expect(matches("sa", "Crash when saving")).toBe(false);
    expect(matches("sav crash", "Crash when saving")).toBe(false);
    expect(matches("sav sav", "Crash when saving")).toBe(false);
    expect(matches("sa", "S.A.; the sa of it")).toBe(true);
  });

  it("any part of a run without spaces is found, a single character too", () => {
    for (const part of ["日", "本", "語", "日本", "本語", "日本語"])
      expect(matches(part, "日本語")).toBe(true);
    expect(matches("語日", "日本語")).toBe(false);
  });

  it("a word longer than what is kept of it is found by what is kept", () => {
    const id = "0123456789abcdef".repeat(3);
    expect(matches(id, `commit ${id}.`)).toBe(true);
    expect(matches(id.slice(0, 7), `commit ${id}.`)).toBe(true);
  });

  it("eight words are looked at; none of a query without letters and digits", () => {
    expect(queryWords("a b c d e f g h i").map((word) => word.text)).toEqual([..."abcdefgh"]);
    expect(queryWords("a b c d e f g h ijk").every((word) => !word.isPrefix)).toBe(true);
    expect(queryWords(" -- ?!")).toEqual([]);
  });
});
