import { describe, expect, it } from "vitest";
import { diffTrees } from "#core/git/diff/tree-diff";
import { serializeCommit } from "#core/git/format/commit";
import { emptyTreeId, type ObjectId } from "#core/git/format/object-format";
import { directoryMode, fileMode, serializeTree } from "#core/git/format/tree";
import { History } from "#core/git/history/history";
import { lastCommits } from "#core/git/history/last-commits";
import { logPage } from "#core/git/history/log";
import { aheadBehind, mergeBases } from "#core/git/history/merge-base";
import { findEntry } from "#core/git/history/tree-entry";
import { mergeTrees } from "#core/git/merge/merge-trees";
import { editTree } from "#core/git/merge/write-tree";
import { packsOf } from "#tests/git/memory/pack-sets";

const format = "sha1";
const levels = 10_000;
const labels = { ours: "ours", theirs: "theirs", depth: 0 };

async function emptyHistory(): Promise<History> {
  return new History(await packsOf(format, [{ type: "blob", data: Buffer.from("x") }]));
}

/** A tree of one file under 10,000 folders. */
function deepTree(history: History, content: string): ObjectId {
  let entry = { mode: fileMode, path: "file", id: history.add("blob", Buffer.from(content)) };
  for (let level = 0; level < levels; level++) {
    entry = { mode: directoryMode, path: "d", id: history.add("tree", serializeTree([entry])) };
  }
  return history.add("tree", serializeTree([entry]));
}

function commitOf(history: History, tree: ObjectId, parents: readonly ObjectId[], seconds: number): ObjectId {
  const person = { name: "A", email: "a@example.org", seconds, timezone: "+0000" };
  const message = Buffer.from(`${seconds}\n`);
  const parts = { tree, parents: [...parents], author: person, committer: person, extraHeaders: [], message };
  return history.add("commit", serializeCommit(parts));
}

describe("trees of 10,000 folders below each other", () => {
  const path = `${"d/".repeat(levels)}file`;

  it("are compared, merged, edited, looked into and walked", async () => {
    const history = await emptyHistory();
    const [base, ours, theirs] = ["1\n", "1\n2\n", "1\n3\n"].map((text) => deepTree(history, text)) as [
      string,
      string,
      string,
    ];
    const { changes } = await diffTrees(history, base, ours);
    expect([changes.length, changes[0]?.new?.path === path]).toEqual([1, true]);
    expect(await findEntry(history, base, path)).toBeDefined();
    const merged = await mergeTrees(history, { base, ours, theirs }, labels);
    expect(merged.conflicts.map((one) => [one.kind, one.path === path])).toEqual([["content", true]]);
    const removed = await editTree(history, base, new Map([[path, undefined]]));
    expect(removed).toBe(emptyTreeId(format));
    const first = commitOf(history, base, [], 1);
    const second = commitOf(history, ours, [first], 2);
    const page = await logPage(history, { tips: [second], paths: [path], limit: 5 });
    expect(page.commits.map(({ id }) => id)).toEqual([second, first]);
    expect((await lastCommits(history, second, "d/".repeat(levels).slice(0, -1)))?.commits).toEqual(
      new Map([["file", second]]),
    );
  });
});

describe("a merge of 1,000 parents", () => {
  it("is walked, counted, compared and asked for its files as any other", async () => {
    const history = await emptyHistory();
    const tree = emptyTreeId(format);
    const root = commitOf(history, tree, [], 1);
    const parents = Array.from({ length: 1_000 }, (_, at) => commitOf(history, tree, [root], 2 + at));
    const tip = commitOf(history, tree, parents, 5_000);
    const page = await logPage(history, { tips: [tip], limit: 2, countAll: true });
    expect([page.total, page.commits[1]?.id]).toEqual([1_002, parents.at(-1)]);
    expect(await mergeBases(history, tip, parents[7] as string)).toEqual([parents[7]]);
    expect(await aheadBehind(history, tip, root)).toEqual({ ahead: 1_001, behind: 0 });
    const [one, other] = [5_001, 5_002].map((at) => commitOf(history, tree, parents.slice(0, 200), at));
    expect((await mergeBases(history, one as string, other as string)).length).toBe(200);
    expect((await lastCommits(history, tip, ""))?.commits.size).toBe(0);
  });
});
