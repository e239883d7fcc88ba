import { describe, expect, it } from "vitest";
import { emptyTreeId, objectIdOf } from "#core/git/format/object-format";
import { directoryMode, fileMode, gitlinkMode } from "#core/git/format/tree";
import { mergeCommits } from "#core/git/merge/merge-commits";
import { mergeText } from "#core/git/merge/merge-text";
import { mergeTrees } from "#core/git/merge/merge-trees";
import { editTree } from "#core/git/merge/write-tree";
import { commitOf, emptyHistory, file, format, labels, treeOf } from "./made-trees.ts";

const names = { ours: "ours", theirs: "theirs" };

describe("merges of hostile input", () => {
  it("unrelated histories: a value of its own; allowed, files of one name are in conflict", async () => {
    const history = await emptyHistory();
    const one = commitOf(history, treeOf(history, file(history, "a", "1\n"), file(history, "b", "1\n")));
    const other = commitOf(history, treeOf(history, file(history, "a", "2\n")));
    expect(await mergeCommits(history, one, other, names)).toEqual({ kind: "unrelated" });
    const merged = await mergeCommits(history, one, other, names, { allowUnrelated: true });
    expect(merged).toMatchObject({ kind: "merged", conflicts: [{ kind: "add/add", path: "a" }] });
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
