import { expect, it } from "vitest";
import { diffLines } from "#core/git/diff/lines/line-diff";
import { PatchWriter } from "#core/git/diff/patch/patch";
import { diffTrees } from "#core/git/diff/tree-diff";
import { objectIdOf } from "#core/git/format/object-format";
import type { GitObject } from "#core/git/format/object-type";
import { directoryMode, fileMode, serializeTree, type TreeEntry } from "#core/git/format/tree";
import { History } from "#core/git/history/history";
import { packsOf } from "#tests/git/memory/pack-sets";
import { patchOf } from "./diff-suite.ts";

export const format = "sha1";
/** A blob of this content. */
export const blob = (content: string | Buffer): GitObject => ({ type: "blob", data: Buffer.from(content) });
/** A tree of these entries. */
export const treeOf = (entries: readonly TreeEntry[]): GitObject => ({
  type: "tree",
  data: serializeTree(entries),
});
/** The id of an object. */
export const idOf = ({ type, data }: GitObject) => objectIdOf(format, type, data);
/** An entry of a tree for a blob or another tree. */
export const entry = (path: string, object: GitObject): TreeEntry => ({
  mode: object.type === "tree" ? directoryMode : fileMode,
  path,
  id: idOf(object),
});

/** How large: entries of a folder, and lines of a text (a multiple of three). */
export interface LargeDiffs {
  readonly files: number;
  readonly lines: number;
}

/** Diffs of much, which only what they cost tells from small ones. */
export function testLargeDiffs({ files, lines }: LargeDiffs): void {
  it(`compare folders of ${files} files, cut where a bound is met, and say so`, async () => {
    const one = blob("1\n");
    const names = Array.from({ length: files }, (_, at) => `file ${String(at).padStart(6, "0")}`);
    const before = treeOf(names.map((name) => entry(name, one)));
    const other = blob("2\n");
    const after = treeOf(names.map((name, at) => entry(name, at % 10 === 0 ? other : one)));
    const history = new History(await packsOf(format, [one, other, before, after]));
    const whole = await diffTrees(history, idOf(before), idOf(after));
    expect([whole.changes.length, whole.isCut]).toEqual([files / 10, false]);
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

  it(`compare of ${lines} lines those around what changed, and tell one change where that is all of them`, () => {
    const [most, third] = [lines, lines / 3];
    const further = Math.round(third * 1.05);
    const text = Buffer.alloc(most * 4);
    for (let line = 0; line < most; line++)
      text.writeUInt32BE(0x41414140 + (line % 26) * 256 + 10 - 0x40, line * 4);
    const changed = Buffer.from(text);
    changed.write("xyz", 4 * third);
    const inserted = Buffer.concat([
      changed.subarray(0, 4 * further),
      text.subarray(0, 8),
      changed.subarray(4 * further),
    ]);
    expect(diffLines(text, text).changes).toEqual([]);
    expect(diffLines(text, inserted).changes).toEqual([
      { oldStart: third, oldCount: 1, newStart: third, newCount: 1 },
      { oldStart: further, oldCount: 0, newStart: further, newCount: 2 },
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
}
