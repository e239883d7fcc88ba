import { describe, expect, it } from "vitest";
import { parsePathPatterns } from "#core/repository/internal/path-patterns";

describe("parsePathPatterns (semantics §41.1)", () => {
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
  ])("%j on %j: %s", (pattern, path, is) => {
    expect(parsePathPatterns(pattern).matches(path)).toBe(is);
  });

  it("matches hostile patterns in time that does not explode", () => {
    const patterns = parsePathPatterns(`${"*a".repeat(500)}b\n${"**/".repeat(300)}x`);
    expect(patterns.matches(`${"a".repeat(5_000)}`)).toBe(false);
    expect(patterns.matches(`${"a/".repeat(500)}y`)).toBe(false);
  });
});
