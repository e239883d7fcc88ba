import { describe, expect, it } from "vitest";
import type { ObjectId } from "#core/git/format/object-format";
import { directoryMode, fileMode, parseTree, serializeTree } from "#core/git/format/tree";
import { History } from "#core/git/history/history";
import type { Version } from "#core/git/merge/merge-file";
import { newObjects } from "#core/git/merge/new-objects";
import { editTree } from "#core/git/merge/write-tree";
import { packsOf } from "#tests/git/memory/pack-sets";
import { createRandom, type Random } from "#tests/support/random";
import { turnsDuring } from "#tests/support/thread-time";

const emptyHistory = async () =>
  new History(await packsOf("sha1", [{ type: "blob", data: Buffer.from("x") }]));
type Files = Map<string, Version>;

/** Names of which some are the beginning of others, before and behind a slash in git's order. */
const names = ["a", "a.b", "a-b", "a0", "b", "aa"];
const randomPath = (random: Random) =>
  Array.from({ length: 1 + random.integer(3) }, () => random.pick(names)).join("/");

/** What a file replaces at its path, or above it, goes. */
function edited(files: Files, edits: ReadonlyMap<string, Version | undefined>): Files {
  const kept = new Map(files);
  for (const [path, version] of edits) {
    if (version === undefined) kept.delete(path);
    else {
      for (const other of files.keys()) {
        if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) kept.delete(other);
      }
      kept.set(path, version);
    }
  }
  return kept;
}

/** Edits of which none puts a file above another. */
function randomEdits(random: Random): Map<string, Version | undefined> {
  const edits = new Map<string, Version | undefined>();
  for (let count = 1 + random.integer(6); count > 0; count -= 1) {
    const path = randomPath(random);
    const isApart = [...edits.keys()].every(
      (other) => !other.startsWith(`${path}/`) && !path.startsWith(`${other}/`),
    );
    if (!isApart) continue;
    const id = String(random.integer(9)).repeat(40);
    edits.set(path, random.integer(3) === 0 ? undefined : { mode: fileMode, id });
  }
  return edits;
}

async function filesOf(history: History, tree: ObjectId, above = ""): Promise<Files> {
  const files: Files = new Map();
  for (const { path, mode, id } of parseTree("sha1", await history.tree(tree))) {
    if (mode !== directoryMode) files.set(above + path, { mode, id });
    else
      for (const [name, version] of await filesOf(history, id, `${above}${path}/`)) files.set(name, version);
  }
  return files;
}

const random = createRandom();

describe("editTree", () => {
  it(`writes what a list of files would say, as one whole edit does (seed ${random.seed})`, async () => {
    const history = await emptyHistory();
    let files: Files = new Map();
    let tree = await editTree(history, undefined, files);
    for (let round = 0; round < 300; round += 1) {
      const edits = randomEdits(random);
      files = edited(files, edits);
      tree = await editTree(history, tree, edits);
      expect([...(await filesOf(history, tree))].sort()).toEqual([...files].sort());
      expect(await editTree(history, undefined, files)).toBe(tree);
    }
  });

  it("lets others run while it looks through a folder of 200,000 files, and leaves them as they are", async () => {
    const history = await emptyHistory();
    const id = "1".repeat(40);
    const names = Array.from({ length: 200_000 }, (_, at) => `f${String(at).padStart(6, "0")}`);
    const tree = history.add("tree", serializeTree(names.map((path) => ({ mode: fileMode, path, id }))));
    let changed = "";
    const turns = await turnsDuring(async () => {
      changed = await editTree(history, tree, new Map([["f199998x", { mode: fileMode, id }]]));
    });
    expect(turns).toBeGreaterThan(2);
    const paths = parseTree("sha1", await history.tree(changed)).map(({ path }) => path);
    const expected = [...names.slice(0, 199_999), "f199998x", ...names.slice(199_999)];
    expect(paths.join("\n") === expected.join("\n")).toBe(true);
    let made: readonly unknown[] = [];
    expect(
      await turnsDuring(async () => {
        made = await newObjects(history, [changed]);
      }),
    ).toBeGreaterThan(2);
    expect(made).toHaveLength(1);
  });
});
