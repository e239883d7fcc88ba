import { describe, expect, it } from "vitest";
import { circlesIn, closureOf, loadingImports, targetsByFile } from "./own-imports.ts";

const targets = targetsByFile(loadingImports());
const mostFiles = 150;

describe("loading a file", () => {
  it("never leads back to it: no files import each other in a circle", () => {
    expect(circlesIn(targets)).toEqual([]);
  });

  it.each(["core/star/star.ts", "core/watch/watch.ts", "core/topic/topic.ts", "core/label/label.ts"])(
    `%s loads at most ${mostFiles} files: a small verb brings no other nouns' verbs along`,
    (file) => {
      expect(targets.has(file)).toBe(true);
      expect(closureOf(targets, file).size).toBeLessThanOrEqual(mostFiles);
    },
  );

  it("is told from a list of imports: circles by their files, and what a file leads to", () => {
    const pairs = ["a b", "b c", "c a", "c d", "d d", "e a"].map((pair) => pair.split(" "));
    const small = targetsByFile(pairs.map(([from = "", to = ""]) => ({ from, to })));
    expect(circlesIn(small)).toEqual([["a", "b", "c"]]);
    expect([...closureOf(small, "e")]).toEqual(["e", "a", "b", "c", "d"]);
  });
});
