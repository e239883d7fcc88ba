import { describe, expect, it } from "vitest";
import type { ObjectId } from "#core/git/format/object-format";
import { fileMode } from "#core/git/format/tree";
import { History } from "#core/git/history/history";
import { findEntry } from "#core/git/history/tree-entry";
import { mergeTrees } from "#core/git/merge/merge-trees";
import { editTree } from "#core/git/merge/write-tree";
import { packsOf } from "#tests/git/memory/pack-sets";

/** Merges what two sides did to a base: contents by path, undefined where a file goes. */
async function merge(
  before: Record<string, string>,
  our: Record<string, string | undefined>,
  their: Record<string, string | undefined>,
) {
  const history = new History(await packsOf("sha1", [{ type: "blob", data: Buffer.from("x") }]));
  const edit = (tree: ObjectId | undefined, files: Record<string, string | undefined>) => {
    const versions = Object.entries(files).map(([path, content]) => {
      const id = content === undefined ? undefined : history.add("blob", Buffer.from(content));
      return [path, id === undefined ? id : { mode: fileMode, id }] as const;
    });
    return editTree(history, tree, new Map(versions));
  };
  const base = await edit(undefined, before);
  const trees = { base, ours: await edit(base, our), theirs: await edit(base, their) };
  const { tree, conflicts } = await mergeTrees(history, trees, { ours: "ours", theirs: "theirs", depth: 0 });
  const paths = [...new Set([before, our, their].flatMap(Object.keys)), "new/added"];
  const there: string[] = [];
  for (const path of paths) if ((await findEntry(history, tree, path)) !== undefined) there.push(path);
  return { conflicts, there: there.toSorted() };
}

describe("mergeTrees, where a side renamed a folder", () => {
  const before = { "old/a": "a\n", "old/b": "b\n", other: "o\n" };
  const moved = { "old/a": undefined, "old/b": undefined, "new/a": "a\n", "new/b": "b\n" };

  it("takes along what the other side put into it, as a conflict to look at", async () => {
    expect(await merge(before, { "old/added": "x\n" }, moved)).toEqual({
      conflicts: [{ kind: "file location", path: "new/added", others: ["old/added"] }],
      there: ["new/a", "new/added", "new/b", "other"],
    });
  });

  it("leaves it where it is when something else is there already", async () => {
    const theirs = { ...moved, "new/added": "y\n" };
    const { conflicts, there } = await merge(before, { "old/added": "x\n", "new/added": "z\n" }, theirs);
    expect(conflicts).toContainEqual({
      ...{ kind: "implicit directory rename", path: "new/added", others: ["old/added"] },
    });
    expect(there).toContain("old/added");
  });

  it("tells where half of it went here and half there", async () => {
    const split = { "old/a": undefined, "old/b": undefined, "one/a": "a\n", "two/b": "b\n" };
    expect(await merge(before, { "old/added": "x\n" }, split)).toEqual({
      conflicts: [{ kind: "directory rename split", path: "old" }],
      there: ["old/added", "one/a", "other", "two/b"],
    });
  });

  it("asks nothing where the other side put nothing into it", async () => {
    expect(await merge(before, { "old/a": "changed\n", other: "p\n" }, moved)).toEqual({
      ...{ conflicts: [], there: ["new/a", "new/b", "other"] },
    });
    expect((await merge(before, { other: "p\n" }, moved)).conflicts).toEqual([]);
  });
});
