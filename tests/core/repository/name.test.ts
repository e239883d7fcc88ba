import { describe, expect, it } from "vitest";
import { repositoryNameProblem } from "#core/repository/internal/name";

const allowed = new Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.");

/** Every character up to U+2FFF, and some of those beyond: look-alikes, halves of pairs, marks that are not seen. */
function* everyCharacter(): Generator<string> {
  for (let code = 0; code < 0x3000; code += 1) yield String.fromCharCode(code);
  for (const code of [0xd800, 0xdfff, 0xfeff, 0xff0e, 0xff41, 0xfffd, 0xffff, 0x1f600, 0x10ffff]) {
    yield String.fromCodePoint(code);
  }
}

describe("repositoryNameProblem (semantics §30)", () => {
  it("lets letters without accents, digits, - _ and . into a name, and no other character, wherever it stands", () => {
    const wrong: string[] = [];
    for (const character of everyCharacter()) {
      for (const name of [`a${character}b`, `${character}ab`, `ab${character}`, character]) {
        const isReserved = name === "." || name === "-";
        const isFine = repositoryNameProblem(name) === undefined;
        if (isFine !== (allowed.has(character) && !isReserved)) wrong.push(JSON.stringify(name));
      }
    }
    expect(wrong).toEqual([]);
  });

  it.each([
    ...[".", "..", "-", "a.git", "A.GIT", ".git", "a.wiki", "a.rss", "a.Atom", "", "a".repeat(101)],
    ...["a\n", "\na", "a b", "a/b", "../a", "a%2fb", "a?b", "a#b", "caf\u00e9", "a\u0000"],
  ])("refuses %j", (name) => {
    expect(repositoryNameProblem(name)).toMatchObject({ code: "invalid" });
  });

  it.each(["a", "a".repeat(100), "git", "wiki", "a.git2", "...", "--", "_", "-a", ".a", "a.", "0"])(
    "lets %j pass",
    (name) => {
      expect(repositoryNameProblem(name)).toBeUndefined();
    },
  );
});
