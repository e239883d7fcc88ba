import { describe, expect, it } from "vitest";
import { diffLines } from "#core/git/diff/lines/line-diff";
import { PatchWriter } from "#core/git/diff/patch/patch";
import { diffTrees } from "#core/git/diff/tree-diff";
import { History } from "#core/git/history/history";
import { packsOf } from "#tests/git/memory/pack-sets";
import { patchOf } from "./diff-suite.ts";
import { blob, entry, format, idOf, testLargeDiffs, treeOf } from "./large-suite.ts";

describe("diffs of large hostile input", () => {
  testLargeDiffs({ files: 100_000, lines: 3_000_000 });

  it("tell a line of 100 MB as binary and take one of 15 MB as a line", async () => {
    const [large, fair] = [blob(Buffer.alloc(100_000_000, "x")), blob(Buffer.alloc(15_000_000, "y"))];
    const tree = treeOf([entry("fair", fair), entry("large", large)]);
    const history = new History(await packsOf(format, [large, fair, tree]));
    const { changes } = await diffTrees(history, undefined, idOf(tree));
    const patch = await patchOf(new PatchWriter(history), changes);
    expect(patch.length).toBeLessThan(15_001_000);
    expect(patch.subarray(-60).toString()).toContain("Binary files /dev/null and b/large differ\n");
  });

  it("compare 200,000 lines with nothing in common, and with everything moved", () => {
    const lines = Array.from({ length: 200_000 }, (_, at) => `line ${at}\n`);
    const text = Buffer.from(lines.join(""));
    expect(diffLines(text, Buffer.from(lines.toReversed().join(""))).changes.length).toBeGreaterThan(0);
    expect(diffLines(text, Buffer.from(lines.join("").replaceAll("line", "other"))).changes).toHaveLength(1);
  });
});
