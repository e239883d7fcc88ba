import { describe, expect, it } from "vitest";
import { parseGlob } from "#core/glob";
import { ownMs } from "#tests/support/thread-time";

function matching(pattern: string, names: string[]): string[] {
  const glob = parseGlob(pattern);
  if ("problem" in glob) throw new Error(glob.problem);
  return names.filter((name) => glob.matches(name));
}

describe("parseGlob", () => {
  it.each([
    ["main", ["main"], ["Main", "main2", "xmain", ""]],
    ["*", ["", "main", "a/b"], []],
    ["release/*", ["release/", "release/1", "release/1/2"], ["release", "xrelease/1"]],
    ["**/fix", ["a/fix", "a/b/fix"], ["fix", "a/fixes"]],
    ["v?", ["v1", "vö", "v🙂"], ["v", "v12"]],
    ["[a-c]x", ["ax", "cx"], ["dx", "x"]],
    ["[!a-c]x", ["dx"], ["ax", "x"]],
    ["[]a]", ["]", "a"], ["b"]],
    ["[a-]", ["a", "-"], ["b"]],
    ["{main,release/*}", ["main", "release/2"], ["mainrelease/2", "dev"]],
    ["{a,{b,c}d,}x", ["ax", "bdx", "cdx", "x"], ["bx", "adx"]],
    ["a,b}", ["a,b}"], ["a"]],
    ["\\*\\{a", ["*{a"], ["x{a"]],
    [".+(x)^$|", [".+(x)^$|"], ["a+(x)^$|"]],
    ["a*b*c", ["abc", "aXbYc", "abbcc"], ["ab", "acb"]],
  ])("%s", (pattern, matches, others) => {
    expect(matching(pattern, [...matches, ...others])).toEqual(matches);
  });

  it.each(["[a", "[", "{a,b", "{", "a\\", "{{a}", "*".repeat(1001), "{".repeat(30) + "}".repeat(30)])(
    "says what is wrong with %s",
    (pattern) => {
      expect(parseGlob(pattern)).toEqual({ problem: expect.any(String) });
    },
  );

  it("needs no more time for a pattern made to be slow", () => {
    const glob = parseGlob(`${"*a".repeat(400)}b`);
    const match = () => expect("matches" in glob && glob.matches("a".repeat(1000))).toBe(false);
    expect(ownMs(match)).toBeLessThan(2_000);
  });
});
