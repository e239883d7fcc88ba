import type { ObjectId } from "../git/format/object-format.ts";
import {
  canonicalMode,
  directoryMode,
  entriesOf,
  entryName,
  gitlinkMode,
  type TreeEntry,
} from "../git/format/tree.ts";
import type { History } from "../git/history/history.ts";

/** One entry of a tree, or of a tree in it. */
export interface ListedEntry {
  /** From the tree that was asked for. */
  readonly path: string;
  readonly mode: number;
  readonly id: ObjectId;
  readonly size: number;
}

/** A range of a tree's entries. `isCut`: there are more than were counted. */
export interface TreeListing {
  readonly entries: readonly ListedEntry[];
  readonly total: number;
  readonly isCut: boolean;
}

/** Users make trees: a few objects can name more paths than there are atoms. */
const most = { entries: 500_000, trees: 50_000 };

/**
 * Entries `skip` to `skip + limit` of a tree, in git's order; with `isRecursive` the content of a folder follows it.
 */
export async function listTree(
  history: History,
  tree: ObjectId,
  { isRecursive, skip, limit }: { isRecursive: boolean; skip: number; limit: number },
): Promise<TreeListing> {
  const shown: { path: string; entry: TreeEntry }[] = [];
  const read = async (id: ObjectId) => entriesOf(history.format, await history.tree(id));
  const stack = [{ prefix: "", entries: await read(tree) }];
  let total = 0;
  let trees = 1;
  for (let open = stack.at(-1); open !== undefined; open = stack.at(-1)) {
    const { value: entry } = open.entries.next();
    if (entry === undefined) {
      stack.pop();
      continue;
    }
    if (total >= most.entries || trees > most.trees)
      return { entries: described(history, shown), total, isCut: true };
    const path = open.prefix + entryName(entry.path);
    if (total >= skip && shown.length < limit) shown.push({ path, entry });
    total += 1;
    const pause = history.pace();
    if (pause !== undefined) await pause;
    if (!isRecursive || canonicalMode(entry.mode) !== directoryMode) continue;
    trees += 1;
    stack.push({ prefix: `${path}/`, entries: await read(entry.id) });
  }
  return { entries: described(history, shown), total, isCut: false };
}

const described = (history: History, shown: readonly { path: string; entry: TreeEntry }[]): ListedEntry[] =>
  shown.map(({ path, entry: { id, mode: stored } }) => {
    const mode = canonicalMode(stored);
    const hasSize = mode !== directoryMode && mode !== gitlinkMode;
    return { path, mode, id, size: hasSize ? history.sizeOf(id) : 0 };
  });
