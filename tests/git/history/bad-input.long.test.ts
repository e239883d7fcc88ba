import { describe, expect, it } from "vitest";
import { serializeCommit } from "#core/git/format/commit";
import { emptyTreeId, type ObjectId, objectIdOf } from "#core/git/format/object-format";
import type { GitObject } from "#core/git/format/object-type";
import { directoryMode, fileMode, gitlinkMode, serializeTree } from "#core/git/format/tree";
import { History } from "#core/git/history/history";
import { lastCommits } from "#core/git/history/last-commits";
import { logPage } from "#core/git/history/log";
import { aheadBehind, isAncestor, mergeBases } from "#core/git/history/merge-base";
import { tipsContaining } from "#core/git/history/tips-containing";
import { findEntry } from "#core/git/history/tree-entry";
import { claimedObjects, packsOf } from "#tests/git/memory/pack-sets";

const format = "sha1";
const emptyTree = emptyTreeId(format);
const commitOf = (parents: readonly ObjectId[], tree = emptyTree, seconds = 1): GitObject => {
  const person = { name: "A", email: "a@example.org", seconds, timezone: "+0000" };
  const data = serializeCommit({
    ...{ tree, parents: [...parents], author: person, committer: person, extraHeaders: [] },
    message: Buffer.from("x\n"),
  });
  return { type: "commit", data };
};
const id = (digit: string) => digit.repeat(40);

describe("walks over hostile repositories", () => {
  it("end where commits claim to be their own ancestors", async () => {
    const objects = new Map([
      [id("a"), commitOf([id("b")])],
      [id("b"), commitOf([id("c"), id("a")])],
      [id("c"), commitOf([id("a"), id("c")])],
    ]);
    const history = new History(claimedObjects(format, objects));
    const page = await logPage(history, { tips: [id("a")], limit: 50, countAll: true });
    expect(page.commits.map((one) => one.id)).toEqual([id("a"), id("b"), id("c")]);
    expect((await logPage(history, { tips: [id("a")], not: [id("b")], limit: 5 })).commits).toEqual([]);
    expect(await mergeBases(history, id("a"), id("b"))).toEqual(expect.any(Array));
    expect(await isAncestor(history, id("c"), id("a"))).toEqual(expect.any(Boolean));
    expect((await tipsContaining(history, id("c"), [id("a")])).size).toBe(1);
    expect((await lastCommits(history, id("a"), ""))?.commits.size).toBe(0);
  });

  it("answer no merge base and whole counts for unrelated histories", async () => {
    const [one, other] = [commitOf([], emptyTree, 1), commitOf([], emptyTree, 2)];
    const history = new History(await packsOf(format, [one, other]));
    const [oneId, otherId] = [one, other].map(({ data }) => objectIdOf(format, "commit", data)) as [
      string,
      string,
    ];
    expect(await mergeBases(history, oneId, otherId)).toEqual([]);
    expect(await isAncestor(history, oneId, otherId)).toBe(false);
    expect(await aheadBehind(history, oneId, otherId)).toEqual({ ahead: 1, behind: 1 });
  });

  it("name what is missing or of another kind", async () => {
    const cut = commitOf([id("d")]);
    const history = new History(await packsOf(format, [cut]));
    const tip = objectIdOf(format, "commit", cut.data);
    await expect(logPage(history, { tips: [tip], limit: 5 })).rejects.toThrow(`object ${id("d")} is missing`);
    await expect(logPage(history, { tips: [emptyTree], limit: 5 })).rejects.toThrow("is missing");
  });

  it("find nothing below a submodule or a file, and read a folder of 100,000 files", async () => {
    const blob: GitObject = { type: "blob", data: Buffer.from("x") };
    const blobId = objectIdOf(format, "blob", blob.data);
    const files = Array.from({ length: 100_000 }, (_, at) => ({
      mode: fileMode,
      path: `f${at}`,
      id: blobId,
    }));
    const folder: GitObject = { type: "tree", data: serializeTree(files) };
    const root: GitObject = {
      type: "tree",
      data: serializeTree([
        { mode: gitlinkMode, path: "module", id: id("e") },
        { mode: directoryMode, path: "many", id: objectIdOf(format, "tree", folder.data) },
      ]),
    };
    const rootId = objectIdOf(format, "tree", root.data);
    const commit = commitOf([], rootId);
    const history = new History(await packsOf(format, [blob, folder, root, commit]));
    expect(await findEntry(history, rootId, "module")).toEqual({ mode: gitlinkMode, id: id("e") });
    expect(await findEntry(history, rootId, "module/inside")).toBeUndefined();
    expect(await findEntry(history, rootId, "many/f99999/below")).toBeUndefined();
    expect((await findEntry(history, rootId, "many/f99999"))?.id).toBe(blobId);
    const tip = objectIdOf(format, "commit", commit.data);
    expect((await lastCommits(history, tip, "many"))?.commits.get("f5")).toBe(tip);
    expect(await lastCommits(history, tip, "module")).toBeUndefined();
  });

  it("stop when their time is up, or their caller has left", async () => {
    const objects = new Map<ObjectId, GitObject>();
    const idAt = (number: number) => number.toString(16).padStart(40, "0");
    for (let number = 0; number < 30_000; number++) {
      objects.set(idAt(number), commitOf(number === 0 ? [] : [idAt(number - 1)], emptyTree, number));
    }
    const packs = claimedObjects(format, objects);
    const all = { tips: [idAt(29_999)], limit: 30_000 };
    await expect(logPage(new History(packs, { timeMs: 0 }), all)).rejects.toMatchObject({
      code: "unavailable",
    });
    const left = AbortSignal.abort(new Error("gone"));
    await expect(logPage(new History(packs, { signal: left }), all)).rejects.toThrow("gone");
    const counted = await logPage(new History(packs), {
      tips: all.tips,
      limit: 1,
      countAll: true,
      countMs: 0,
    });
    expect(counted.commits).toHaveLength(1);
    expect(counted.isTotalExact).toBe(false);
    expect(counted.total).toBeLessThan(30_000);
  });
});
