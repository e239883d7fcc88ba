import { describe, expect, it } from "vitest";
import { queryWords, wordsOf } from "#core/word-index/words";
import { ownMs } from "#tests/support/thread-time";

const longest = 65_536;

describe("wordsOf", () => {
  it.each([
    ["marks that have to be put in order", `a${"\u0323\u0307\u0301\u0302".repeat(longest / 4)}`],
    ["marks of two classes", `a${"\u0301".repeat(longest / 2)}${"\u0323".repeat(longest / 2)}`],
    ["marks and letters that fold into marks", "\uff9e\u0301".repeat(longest / 2)],
    ["characters that fold into eighteen", "\ufdfa".repeat(longest)],
    ["characters of a script without spaces", "日".repeat(longest)],
  ])("takes no time that grows with the square of a text as long as a body may be: %s", (_what, text) => {
    wordsOf(text);
    // Tens of milliseconds; comparing each character with each would be billions of steps.
    expect(ownMs(() => wordsOf(text))).toBeLessThan(1_500);
  });

  it("keeps words whole and composed wherever in a long text they stand", () => {
    const word = "e\u0301tude日本";
    for (let at = 0; at < 600; at += 1) {
      expect([...wordsOf(`${".".repeat(at)}${word}`)]).toEqual(["étude", "日本", "本"]);
    }
    expect(wordsOf(`${"x ".repeat(30_000)}needle`)).toEqual(new Set(["x", "needle"]));
  });

  it("makes no more of a word of 65,536 characters, or of marks, than fits a key", () => {
    expect([...wordsOf("x".repeat(longest))]).toEqual(["x".repeat(32)]);
    const marked = [...wordsOf(`日${"\u3099\u0344".repeat(1_000)}本${"\u0344".repeat(1_000)}`)];
    expect(Math.max(...marked.map((one) => Buffer.byteLength(one)))).toBeLessThan(256);
    const [asked] = queryWords("x".repeat(longest));
    expect(asked).toEqual({ text: "x".repeat(32), isPrefix: true });
  });
});
