import { describe, expect, it } from "vitest";
import { isBinary } from "#core/git/diff/file-content";
import { diffLines } from "#core/git/diff/line-diff";
import { PatchWriter } from "#core/git/diff/patch";
import { quotePath } from "#core/git/diff/quote-path";
import { detectRenames } from "#core/git/diff/renames";
import { diffTrees } from "#core/git/diff/tree-diff";
import { objectIdOf } from "#core/git/object/object-format";
import type { GitObject } from "#core/git/object/object-type";
import { directoryMode, fileMode, serializeTree, type TreeEntry } from "#core/git/object/tree";
import { History } from "#core/git/walk/history";
import { packsOf } from "#tests/git/walk/worlds";
import { patchOf } from "./diff-suite.ts";

const format = "sha1";
const blob = (content: string | Buffer): GitObject => ({ type: "blob", data: Buffer.from(content) });
const treeOf = (entries: readonly TreeEntry[]): GitObject => ({ type: "tree", data: serializeTree(entries) });
const idOf = ({ type, data }: GitObject) => objectIdOf(format, type, data);
const entry = (path: string, object: GitObject): TreeEntry => ({
  mode: object.type === "tree" ? directoryMode : fileMode,
  path,
  id: idOf(object),
});

describe("diffs of hostile input", () => {
  it("tell a line of 100 MB as binary and take one of 15 MB as a line", async () => {
    const [large, fair] = [blob(Buffer.alloc(100_000_000, "x")), blob(Buffer.alloc(15_000_000, "y"))];
    const tree = treeOf([entry("fair", fair), entry("large", large)]);
    const history = new History(await packsOf(format, [large, fair, tree]));
    const { changes } = await diffTrees(history, undefined, idOf(tree));
    const patch = await patchOf(new PatchWriter(history), changes);
    expect(patch.length).toBeLessThan(15_001_000);
    expect(patch.subarray(-60).toString()).toContain("Binary files /dev/null and b/large differ\n");
  });

  it("compare folders of 100,000 files, cut where a bound is met, and say so", async () => {
    const one = blob("1\n");
    const names = Array.from({ length: 100_000 }, (_, at) => `file ${String(at).padStart(6, "0")}`);
    const before = treeOf(names.map((name) => entry(name, one)));
    const other = blob("2\n");
    const after = treeOf(names.map((name, at) => entry(name, at % 10 === 0 ? other : one)));
    const history = new History(await packsOf(format, [one, other, before, after]));
    const whole = await diffTrees(history, idOf(before), idOf(after));
    expect([whole.changes.length, whole.isCut]).toEqual([10_000, false]);
    const cut = await diffTrees(history, idOf(before), idOf(after), { changes: 300 });
    expect([cut.changes.length, cut.isCut]).toEqual([300, true]);
    expect((await diffTrees(history, idOf(before), idOf(after), { pathBytes: 100 })).isCut).toBe(true);
    for (const [most, reason] of [
      [{ files: 5 }, "files"],
      [{ lines: 50 }, "lines"],
      [{ bytes: 1_000 }, "bytes"],
    ] as const) {
      const writer = new PatchWriter(history, { most });
      const patch = await patchOf(writer, whole.changes);
      expect(writer.cut).toBe(reason);
      expect(patch.length).toBeGreaterThan(500);
      expect(patch.length).toBeLessThan(2_000);
    }
  });

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

  it("compare 200,000 lines with nothing in common, and with everything moved", () => {
    const lines = Array.from({ length: 200_000 }, (_, at) => `line ${at}\n`);
    const text = Buffer.from(lines.join(""));
    expect(diffLines(text, Buffer.from(lines.toReversed().join(""))).changes.length).toBeGreaterThan(0);
    expect(diffLines(text, Buffer.from(lines.join("").replaceAll("line", "other"))).changes).toHaveLength(1);
  });

  it("compare of 3,000,000 lines those around what changed, and tell one change where that is all of them", () => {
    const most = 3_000_000;
    const text = Buffer.alloc(most * 4);
    for (let line = 0; line < most; line++)
      text.writeUInt32BE(0x41414140 + (line % 26) * 256 + 10 - 0x40, line * 4);
    const changed = Buffer.from(text);
    changed.write("xyz", 4_000_000);
    const inserted = Buffer.concat([
      changed.subarray(0, 4_200_000),
      text.subarray(0, 8),
      changed.subarray(4_200_000),
    ]);
    expect(diffLines(text, text).changes).toEqual([]);
    expect(diffLines(text, inserted).changes).toEqual([
      { oldStart: 1_000_000, oldCount: 1, newStart: 1_000_000, newCount: 1 },
      { oldStart: 1_050_000, oldCount: 0, newStart: 1_050_000, newCount: 2 },
    ]);
    const other = Buffer.from(text.toString("latin1").replaceAll("A", "B"), "latin1");
    expect(diffLines(text, other).changes).toEqual([
      { oldStart: 0, oldCount: most, newStart: 0, newCount: most },
    ]);
    const unended = text.subarray(0, text.length - 1);
    expect(diffLines(unended, text).changes).toEqual([
      { oldStart: most - 1, oldCount: 1, newStart: most - 1, newCount: 1 },
    ]);
  });

  it("take a NUL for binary only where git looks, and quote every odd byte of a name", () => {
    expect(isBinary(Buffer.from(`${"x".repeat(7_999)}\0`))).toBe(true);
    expect(isBinary(Buffer.from(`${"x".repeat(8_000)}\0`))).toBe(false);
    expect(quotePath('a\x01\t"\\\xff b', "b/")).toBe('"b/a\\001\\t\\"\\\\\\377 b"');
  });
});
