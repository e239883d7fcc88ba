import { describe, expect, it } from "vitest";
import { isBinary } from "#core/git/diff/file-content";
import { quotePath } from "#core/git/diff/patch/quote-path";
import { detectRenames } from "#core/git/diff/renames/renames";
import { diffTrees } from "#core/git/diff/tree-diff";
import { History } from "#core/git/history/history";
import { packsOf } from "#tests/git/memory/pack-sets";
import { blob, entry, format, idOf, testLargeDiffs, treeOf } from "./large-suite.ts";

describe("diffs of hostile input", () => {
  testLargeDiffs({ files: 5_000, lines: 90_000 });

  it("end with a few trees that name each other 2^40 times", async () => {
    const file = blob("x");
    const objects = [file];
    let tree = treeOf([entry("leaf", file)]);
    for (let level = 0; level < 40; level++) {
      objects.push(tree);
      tree = treeOf([entry("a", tree), entry("b", tree)]);
    }
    const history = new History(await packsOf(format, [...objects, tree]));
    const diff = await diffTrees(history, undefined, idOf(tree), { changes: 1_000, trees: 5_000 });
    expect(diff.isCut).toBe(true);
  });

  it("do not compare contents of more renames than the bound allows", async () => {
    const texts = Array.from({ length: 40 }, (_, at) => blob(`${"line\n".repeat(20)}${at}\n`));
    const before = treeOf(
      texts.slice(0, 20).map((text, at) => entry(`old${String(at).padStart(2, "0")}`, text)),
    );
    const after = treeOf(texts.slice(20).map((text, at) => entry(`new${String(at).padStart(2, "0")}`, text)));
    const history = new History(await packsOf(format, [...texts, before, after]));
    const { changes } = await diffTrees(history, idOf(before), idOf(after));
    expect((await detectRenames(history, changes, { limit: 19 })).map(({ status }) => status)).not.toContain(
      "renamed",
    );
    const found = await detectRenames(history, changes, { limit: 20 });
    expect(found.map(({ status }) => status)).toContain("renamed");
  });

  it("take a NUL for binary only where git looks, and quote every odd byte of a name", () => {
    expect(isBinary(Buffer.from(`${"x".repeat(7_999)}\0`))).toBe(true);
    expect(isBinary(Buffer.from(`${"x".repeat(8_000)}\0`))).toBe(false);
    expect(quotePath('a\x01\t"\\\xff b', "b/")).toBe('"b/a\\001\\t\\"\\\\\\377 b"');
  });
});
