import { expect, it } from "vitest";
import type { ObjectId } from "#core/git/format/object-format";
import { fileMode } from "#core/git/format/tree";
import { History } from "#core/git/history/history";
import { findEntry } from "#core/git/history/tree-entry";
import { mergeTrees } from "#core/git/merge/merge-trees";
import { editTree, type TreeEdits } from "#core/git/merge/write-tree";
import { packsOf } from "#tests/git/memory/pack-sets";

const text = (...changed: number[]): string =>
  Array.from({ length: 20 }, (_, line) =>
    changed.includes(line) ? `changed ${line}\n` : `line ${line}\n`,
  ).join("");

it("a file of a folder that went is taken for the source, unchanged as it is, where the other side added to the folder", async () => {
  const history = new History(await packsOf("sha1", [{ type: "blob", data: Buffer.from("x") }]));
  const version = (content: string) => ({
    mode: fileMode,
    id: history.add("blob", Buffer.from(content)),
  });
  const edit = (tree: ObjectId | undefined, files: Record<string, string | undefined>): Promise<ObjectId> => {
    const edits: TreeEdits = new Map(
      Object.entries(files).map(([path, content]) => [
        path,
        content === undefined ? undefined : version(content),
      ]),
    );
    return editTree(history, tree, edits);
  };
  // What stands at `went` is `folder/file` with one line changed; `deleted` is less like it, but like enough.
  const base = await edit(undefined, { "folder/file": text(), deleted: text(1, 2, 3, 4, 5) });
  const ours = await edit(base, { deleted: text(1, 2, 3, 4, 5, 6), "folder/added": "new\n" });
  const theirs = await edit(base, { deleted: undefined, "folder/file": undefined, went: text(9) });
  const merged = await mergeTrees(
    history,
    { base, ours, theirs },
    { ours: "ours", theirs: "theirs", depth: 0 },
  );
  expect(merged.conflicts).toContainEqual({ kind: "modify/delete", path: "deleted" });
  const id = async (tree: ObjectId, path: string) => (await findEntry(history, tree, path))?.id;
  expect(await id(merged.tree, "deleted")).toBe(await id(ours, "deleted"));
  expect(await id(merged.tree, "went")).toBe(await id(theirs, "went"));
});
