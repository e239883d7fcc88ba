import { describe, expect, it } from "vitest";
import { parseGlob } from "#core/pattern/glob";
import { MatchTime } from "#core/pattern/match-time";
import { Patterns } from "#core/pattern/patterns";
import { createRandom } from "#tests/support/random";

async function matching(pattern: string, names: string[], separators?: string): Promise<string[]> {
  const glob = parseGlob(pattern, separators);
  if ("problem" in glob) throw new Error(glob.problem);
  const patterns = new Patterns([glob.source]);
  const found = [];
  for (const name of names) if (await patterns.matches(name, new MatchTime())) found.push(name);
  return found;
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
    ["[c-a]", [], ["b", "c-a"]],
    ["\n*", ["\n\n"], ["n"]],
  ])("%j", async (pattern, matches, others) => {
    expect(await matching(pattern, [...matches, ...others])).toEqual(matches);
  });

  it.each([
    ["*/x", ["a/x", "/x"], ["a/b/x", "x"]],
    ["a?c", ["abc"], ["a/c", "a.c"]],
    ["**.md", ["a/b.md", ".md"], ["md"]],
    ["[a-z]*[!b]", ["ab/"], ["ab.b"]],
  ])("%j between separators", async (pattern, matches, others) => {
    expect(await matching(pattern, [...matches, ...others], "./")).toEqual(matches);
  });

  it.each(["[a", "[", "{a,b", "{", "a\\", "{{a}", "*".repeat(1001), "{".repeat(30) + "}".repeat(30)])(
    "says what is wrong with %s",
    (pattern) => {
      expect(parseGlob(pattern)).toEqual({ problem: expect.any(String) });
    },
  );

  const random = createRandom();
  it(`makes of every glob an expression that the engine takes (SEED=${random.seed})`, async () => {
    const parts = [..."ab*?[]{},\\!^-./|()+$\n", "\u{1f642}", "\ud83d", "[!]", "[]]"];
    for (let round = 0; round < 1_000; round += 1) {
      const pattern = Array.from({ length: random.integer(12) }, () => random.pick(parts)).join("");
      const glob = parseGlob(pattern, random.pick(["", "/", "./"]));
      if ("source" in glob) await new Patterns([glob.source]).matches("a/b.c", new MatchTime());
    }
  });
});
