import { describe, expect, it } from "vitest";
import { serializeCommit } from "#core/git/format/commit";
import { emptyTreeId, type ObjectId, objectIdOf } from "#core/git/format/object-format";
import { directoryMode, fileMode, gitlinkMode, serializeTree, type TreeEntry } from "#core/git/format/tree";
import { History } from "#core/git/history/history";
import { mergeCommits } from "#core/git/merge/merge-commits";
import { mergeText } from "#core/git/merge/merge-text";
import { mergeTrees } from "#core/git/merge/merge-trees";
import { editTree } from "#core/git/merge/write-tree";
import { packsOf } from "#tests/git/memory/pack-sets";

const format = "sha1";
const labels = { ours: "ours", theirs: "theirs", depth: 0 };
const names = { ours: "ours", theirs: "theirs" };
const person = { name: "A", email: "a@example.org", seconds: 1, timezone: "+0000" };

async function emptyHistory(): Promise<History> {
  const packs = await packsOf(format, [{ type: "blob", data: Buffer.from("x") }]);
  return new History(packs, { timeMs: 600_000 });
}
const file = (history: History, path: string, content: string | Buffer): TreeEntry => ({
  ...{ mode: fileMode, path, id: history.add("blob", Buffer.from(content)) },
});
const treeOf = (history: History, ...entries: TreeEntry[]): ObjectId =>
  history.add("tree", serializeTree(entries));
const commitOf = (history: History, tree: ObjectId, parents: ObjectId[] = []): ObjectId => {
  const message = Buffer.from(`${tree} ${parents.join(" ")}`);
  const commit = { tree, parents, author: person, committer: person, extraHeaders: [], message };
  return history.add("commit", serializeCommit(commit));
};

describe("merges of hostile input", () => {
  it("unrelated histories: a value of its own; allowed, files of one name are in conflict", async () => {
    const history = await emptyHistory();
    const one = commitOf(history, treeOf(history, file(history, "a", "1\n"), file(history, "b", "1\n")));
    const other = commitOf(history, treeOf(history, file(history, "a", "2\n")));
    expect(await mergeCommits(history, one, other, names)).toEqual({ kind: "unrelated" });
    const merged = await mergeCommits(history, one, other, names, { allowUnrelated: true });
    expect(merged).toMatchObject({ kind: "merged", conflicts: [{ kind: "add/add", path: "a" }] });
  });

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

  it("a path through a submodule: the submodule is not entered, a folder in its place is in conflict", async () => {
    const history = await emptyHistory();
    const module = { mode: gitlinkMode, path: "m", id: "e".repeat(40) };
    const base = treeOf(history, module);
    const folder = { mode: directoryMode, path: "m", id: treeOf(history, file(history, "inside", "1\n")) };
    const moved = treeOf(history, { ...module, id: "f".repeat(40) });
    const merged = await mergeTrees(history, { base, ours: moved, theirs: treeOf(history, folder) }, labels);
    expect(merged.conflicts.map(({ kind, path }) => `${kind} ${path}`).toSorted()).toEqual([
      "file/directory m~ours",
      "modify/delete m~ours",
    ]);
  });

  it("texts of 20,000 lines that share next to nothing end, marked", () => {
    const text = (word: string) =>
      Buffer.from(Array.from({ length: 20_000 }, (_, at) => `${word} ${at}\n`).join(""));
    const merged = mergeText(text("a"), text("b"), text("c"), { ours: "x", theirs: "y" });
    expect(merged.conflicts).toBe(1);
    expect(merged.data.subarray(0, 12).toString()).toBe("<<<<<<< x\nb ");
  });

  it("editTree removes folders that end up empty, and lets files and folders take each other's place", async () => {
    const history = await emptyHistory();
    const inner = treeOf(history, file(history, "b", "1\n"));
    const tree = treeOf(history, file(history, "f", "1\n"), { mode: directoryMode, path: "a", id: inner });
    expect(await editTree(history, tree, new Map([["a/b", undefined]]))).toBe(
      treeOf(history, file(history, "f", "1\n")),
    );
    expect(await editTree(history, undefined, new Map())).toBe(emptyTreeId(format));
    const version = { mode: fileMode, id: objectIdOf(format, "blob", Buffer.from("1\n")) };
    const swapped = new Map([
      ["a", version],
      ["a/b", undefined],
      ["f", undefined],
      ["f/g", version],
    ]);
    const below = treeOf(history, file(history, "g", "1\n"));
    expect(await editTree(history, tree, swapped)).toBe(
      treeOf(history, file(history, "a", "1\n"), { mode: directoryMode, path: "f", id: below }),
    );
  });
});
