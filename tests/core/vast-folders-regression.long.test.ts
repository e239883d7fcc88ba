import { expect, it } from "vitest";
import { mostShownEntries, readContents } from "#core/code/contents";
import type { Code } from "#core/code/open";
import { diffTrees, type TreeDiff } from "#core/git/diff/tree-diff";
import { objectIdOf } from "#core/git/format/object-format";
import type { GitObject } from "#core/git/format/object-type";
import { fileMode, serializeTree, symlinkMode } from "#core/git/format/tree";
import { differingNames } from "#core/git/history/differing-names";
import { History } from "#core/git/history/history";
import { packsOf } from "#tests/git/memory/pack-sets";
import { turnsDuring } from "#tests/support/thread-time";

const idOf = ({ type, data }: GitObject) => objectIdOf("sha1", type, data);

it("readContents of a folder of 200,000 files describes what an answer can hold, and reads neither messages nor links of megabytes", async () => {
  const file: GitObject = { type: "blob", data: Buffer.from("x") };
  const link: GitObject = { type: "blob", data: Buffer.alloc(2 ** 20, "x") };
  const entries = Array.from({ length: 200_000 }, (_, at) => {
    const isLink = at === 1;
    return {
      mode: isLink ? symlinkMode : fileMode,
      path: `f${String(at).padStart(6, "0")}`,
      id: idOf(isLink ? link : file),
    };
  });
  const tree: GitObject = { type: "tree", data: serializeTree(entries) };
  const who = "A <a@x> 1700000000 +0000";
  const text = `tree ${idOf(tree)}\nauthor ${who}\ncommitter ${who}\n\n${"word ".repeat(100_000)}`;
  const commit: GitObject = { type: "commit", data: Buffer.from(text) };
  const history = new History(await packsOf("sha1", [file, link, tree, commit]));
  const named = { id: idOf(commit), kind: "commit", name: idOf(commit) } as const;
  const read = (range?: { skip: number; limit: number }) =>
    readContents(
      { history, reserve: async (_bytes: number) => undefined } as unknown as Code,
      named,
      "",
      range,
    );
  let found: Awaited<ReturnType<typeof read>> | undefined;
  const turns = await turnsDuring(async () => {
    found = await read();
  });
  expect(found).toMatchObject({ kind: "folder", total: 200_000 });
  const shown = found?.kind === "folder" ? found.entries : [];
  expect(shown).toHaveLength(mostShownEntries);
  expect(shown[0]?.lastCommit).toEqual({ id: idOf(commit), seconds: 1_700_000_000 });
  expect(shown[1]).toMatchObject({ kind: "symlink", size: 2 ** 20 });
  expect(shown[1]).not.toHaveProperty("target");
  expect(turns).toBeGreaterThan(5);
  const last = await read({ skip: 199_999, limit: 50 });
  expect(last).toMatchObject({ entries: [{ name: "f199999" }], total: 200_000 });
});

it("differingNames of two folders of 200,000 files that all differ lets others run", async () => {
  const treeOf = (id: string) =>
    serializeTree(Array.from({ length: 200_000 }, (_, at) => ({ mode: fileMode, path: `f${at}`, id })));
  const history = new History(await packsOf("sha1", [{ type: "blob", data: Buffer.alloc(0) }]));
  let names = new Set<string>();
  const turns = await turnsDuring(async () => {
    names = await differingNames(history, treeOf("1".repeat(40)), treeOf("2".repeat(40)));
  });
  expect(names.size).toBe(200_000);
  expect(turns).toBeGreaterThan(5);
});

it("diffTrees of two folders of 200,000 files that differ in the last one lets others run while it reads them", async () => {
  const treeOf = (last: string): GitObject => {
    const idAt = (at: number) => (at < 199_999 ? "1" : last).repeat(40);
    const entries = Array.from({ length: 200_000 }, (_, at) => {
      return { mode: fileMode, path: `f${String(at).padStart(6, "0")}`, id: idAt(at) };
    });
    return { type: "tree", data: serializeTree(entries) };
  };
  const history = new History(await packsOf("sha1", [{ type: "blob", data: Buffer.alloc(0) }]));
  const [before, after] = ["1", "2"].map(treeOf).map(({ type, data }) => history.add(type, data));
  let found: TreeDiff | undefined;
  const turns = await turnsDuring(async () => {
    found = await diffTrees(history, before, after);
  });
  expect(found?.changes.map((change) => change.new?.path)).toEqual(["f199999"]);
  expect(turns).toBeGreaterThan(5);
});
