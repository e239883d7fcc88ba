import { describe, expect, it } from "vitest";
import { changedPaths } from "#core/git/diff/changed-paths";
import { parseCommit, serializeCommit } from "#core/git/format/commit";
import { emptyTreeId, type ObjectId, objectIdOf } from "#core/git/format/object-format";
import type { GitObject } from "#core/git/format/object-type";
import { directoryMode, entryPath, fileMode, serializeTree, type TreeEntry } from "#core/git/format/tree";
import { History } from "#core/git/history/history";
import { claimedObjects } from "#tests/git/memory/pack-sets";

const format = "sha1";
const objects = new Map<ObjectId, GitObject>();
let reads = 0;

function keep(object: GitObject): ObjectId {
  const id = objectIdOf(format, object.type, object.data);
  objects.set(id, object);
  return id;
}
const makeTree = (entries: TreeEntry[]): ObjectId => keep({ type: "tree", data: serializeTree(entries) });
const identity = { name: "A", email: "a@example.com", seconds: 1, timezone: "+0000" };
const makeCommit = (tree: ObjectId, parents: ObjectId[] = []): ObjectId =>
  keep({
    type: "commit",
    data: serializeCommit({
      ...{ tree, parents, author: identity, committer: identity, extraHeaders: [] },
      message: Buffer.from("x\n"),
    }),
  });
function changesOf(id: ObjectId) {
  const packs = claimedObjects(format, objects, () => {
    reads += 1;
  });
  return changedPaths(new History(packs), parseCommit((objects.get(id) as GitObject).data));
}

/** A tree that holds `leaf` under two names, in a tree that holds that under two names, and so on. */
function doubled(leaf: TreeEntry, levels: number): ObjectId {
  let tree = makeTree([leaf]);
  for (let level = 0; level < levels; level += 1) {
    tree = makeTree(["a", "b"].map((name) => ({ mode: directoryMode, path: entryPath(name), id: tree })));
  }
  return tree;
}

describe("the files that a commit changed", () => {
  it("ends with a few trees that name each other 2^40 times and hold no file", async () => {
    const nothing = { mode: directoryMode, path: entryPath("nothing"), id: emptyTreeId(format) };
    const commit = makeCommit(doubled(nothing, 40));
    reads = 0;
    expect(await changesOf(commit)).toEqual({ added: [], removed: [], modified: [] });
    expect(reads).toBeLessThan(25_000);
  });

  it("names no more than half a megabyte of paths", async () => {
    const blob = keep({ type: "blob", data: Buffer.from("x") });
    const leaf = { mode: fileMode, path: entryPath("n".repeat(10_000)), id: blob };
    const { added } = await changesOf(makeCommit(doubled(leaf, 12)));
    expect(added.length).toBeGreaterThan(40);
    expect(added.join("").length).toBeLessThan(512 * 1024);
  });

  it("compares with a parent once, however often the commit names it", async () => {
    const blob = keep({ type: "blob", data: Buffer.from("y") });
    const parent = makeCommit(makeTree([]));
    const tree = makeTree([{ mode: fileMode, path: entryPath("file"), id: blob }]);
    const commit = makeCommit(tree, Array<ObjectId>(20_000).fill(parent));
    reads = 0;
    expect(await changesOf(commit)).toEqual({ added: ["file"], removed: [], modified: [] });
    expect(reads).toBeLessThan(10);
  });
});
