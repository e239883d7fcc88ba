import { serializeCommit } from "#core/git/format/commit";
import type { ObjectId } from "#core/git/format/object-format";
import { fileMode, serializeTree, type TreeEntry } from "#core/git/format/tree";
import { History } from "#core/git/history/history";
import { packsOf } from "#tests/git/memory/pack-sets";

export const format = "sha1";
export const labels = { ours: "ours", theirs: "theirs", depth: 0 };
const person = { name: "A", email: "a@example.org", seconds: 1, timezone: "+0000" };

/** A history to which a test adds trees and commits. */
export async function emptyHistory(): Promise<History> {
  const packs = await packsOf(format, [{ type: "blob", data: Buffer.from("x") }]);
  return new History(packs, { timeMs: 600_000 });
}
export const file = (history: History, path: string, content: string | Buffer): TreeEntry => ({
  ...{ mode: fileMode, path, id: history.add("blob", Buffer.from(content)) },
});
export const treeOf = (history: History, ...entries: TreeEntry[]): ObjectId =>
  history.add("tree", serializeTree(entries));
export const commitOf = (history: History, tree: ObjectId, parents: ObjectId[] = []): ObjectId => {
  const message = Buffer.from(`${tree} ${parents.join(" ")}`);
  const commit = { tree, parents, author: person, committer: person, extraHeaders: [], message };
  return history.add("commit", serializeCommit(commit));
};
