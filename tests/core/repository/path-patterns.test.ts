import { describe, expect, it } from "vitest";
import { MatchTime } from "#core/pattern/match-time";
import { readPathPatterns } from "#core/repository/template/internal/path-patterns";

describe("readPathPatterns (semantics §41.1)", () => {
  it.each([
    ["*.md", "README.md", true],
    ["*.md", "docs/README.md", false],
    ["**/*.md", "README.md", true],
    ["**/*.md", "docs/deep/README.md", true],
    ["docs/**", "docs/deep/a.txt", true],
    ["docs/**", "src/docs/a.txt", false],
    ["./a?.txt", "ab.txt", true],
    ["/a.txt", "a.txt", true],
    ["a/**/b", "a/b", true],
    ["a/**/b", "a/x/y/b", true],
    ["# *", "x", false],
    ["", "x", false],
    ["[ab].txt", "a.txt", false],
  ])("%j on %j: %s", async (pattern, path, is) => {
    expect(await readPathPatterns(pattern).matches(path, new MatchTime())).toBe(is);
  });

  it("matches hostile patterns in time that does not explode", async () => {
    const patterns = readPathPatterns(`${"*a".repeat(500)}b\n${"**/".repeat(300)}x`);
    const time = new MatchTime({ mostMs: Number.POSITIVE_INFINITY }); // if it did, the test would not end
    expect(await patterns.matches(`${"a".repeat(5_000)}`, time)).toBe(false);
    expect(await patterns.matches(`${"a/".repeat(500)}y`, time)).toBe(false);
  });
});
