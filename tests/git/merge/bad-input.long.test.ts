import { describe, expect, it } from "vitest";
import type { ObjectId } from "#core/git/format/object-format";
import { fileMode } from "#core/git/format/tree";
import { History } from "#core/git/history/history";
import { mergeTrees } from "#core/git/merge/merge-trees";
import { packsOf } from "#tests/git/memory/pack-sets";
import { emptyHistory, file, format, labels, treeOf } from "./made-trees.ts";

describe("merges of large hostile input", () => {
  it("a line of 100 MB that both sides change: a conflict, our version stays", async () => {
    const history = await emptyHistory();
    const large = (letter: string) => treeOf(history, file(history, "a", Buffer.alloc(100_000_000, letter)));
    const [base, ours, theirs] = [large("a"), large("b"), large("c")];
    const merged = await mergeTrees(history, { base, ours, theirs }, labels);
    expect(merged).toEqual({ tree: ours, conflicts: [{ kind: "binary", path: "a" }] });
  });

  it("many large texts: their memory is counted before each is read, and too much of it is refused", async () => {
    const counted: number[] = [];
    const packs = await packsOf(format, [{ type: "blob", data: Buffer.from("x") }]);
    const reserveInAll = async (bytes: number) => void counted.push(bytes);
    const history = new History(packs, { timeMs: 600_000, reserveInAll });
    const lines = `${"a line of some length\n".repeat(400_000)}`;
    const sideOf = (side: string) => (at: number) =>
      file(history, `f${at}`, side === "ours" ? `${at} ours\n${lines}` : `${at}\n${lines}${side}`);
    const trees = (count: number) => {
      const places = Array.from({ length: count }, (_, at) => at);
      const [base, ours, theirs] = ["", "ours", "theirs\n"].map((side) =>
        treeOf(history, ...places.map(sideOf(side))),
      );
      return { base, ours, theirs } as { base: ObjectId; ours: ObjectId; theirs: ObjectId };
    };
    const few = trees(1);
    const before = history.addedBytes;
    expect((await mergeTrees(history, few, labels)).conflicts).toEqual([]);
    expect(counted).toHaveLength(1);
    expect(counted[0]).toBeGreaterThan(before + 3 * 3 * lines.length);
    await expect(mergeTrees(history, trees(4), labels)).rejects.toMatchObject({ code: "unavailable" });
  });

  it("a folder of 100,000 files: only what changed is written; too many changes are refused", async () => {
    const history = await emptyHistory();
    const [one, two] = [file(history, "x", "1\n").id, file(history, "x", "2\n").id];
    const many = (change: (at: number) => boolean) =>
      treeOf(
        history,
        ...Array.from({ length: 100_000 }, (_, at) => ({
          mode: fileMode,
          path: `f${at}`,
          id: change(at) ? two : one,
        })),
      );
    const base = many(() => false);
    const [ours, theirs] = [many((at) => at % 1_000 === 0), many((at) => at % 1_000 === 1)];
    const merged = await mergeTrees(history, { base, ours, theirs }, labels);
    expect(merged).toEqual({ tree: many((at) => at % 1_000 < 2), conflicts: [] });
    const all = { base, ours, theirs: many(() => true) };
    await expect(mergeTrees(history, all, labels)).rejects.toMatchObject({ code: "too-large" });
  });
});
