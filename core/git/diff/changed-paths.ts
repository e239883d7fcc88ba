import type { Commit } from "../format/commit.ts";
import type { ObjectId } from "../format/object-format.ts";
import { entryName } from "../format/tree.ts";
import type { History } from "../history/history.ts";
import { type ChangeStatus, sideOf } from "./file-change.ts";
import { diffTrees } from "./tree-diff.ts";

/** Paths that a commit changed, as text, each list in the order of the trees. */
export interface ChangedPaths {
  readonly added: string[];
  readonly removed: string[];
  readonly modified: string[];
}

/**
 * The most that one commit may cost: users write trees, and a few small ones can name more paths than there are atoms.
 */
const most = { changes: 3_000, pathBytes: 512 * 1024, trees: 20_000 };
const mostParents = 50;

const listOf: Readonly<Partial<Record<ChangeStatus, keyof ChangedPaths>>> = {
  added: "added",
  deleted: "removed",
};

/**
 * The changes of a commit against its parent, without renames; of a merge, the differences from every parent. After
 * 3,000 paths, 512 KiB of them or 20,000 trees the rest is left out.
 */
export async function changedPaths(history: History, commit: Commit): Promise<ChangedPaths> {
  const parents = [...new Set(commit.parents)].filter((id) => history.has(id)).slice(0, mostParents);
  const left = { ...most };
  const differences: Map<string, keyof ChangedPaths>[] = [];
  for (const parent of parents.length === 0 ? [undefined] : parents) {
    const before: ObjectId | undefined = parent && (await history.links(parent)).tree;
    const { changes, reads } = await diffTrees(history, before, commit.tree, left);
    left.trees -= reads.trees;
    left.pathBytes -= reads.pathBytes;
    differences.push(
      new Map(changes.map((change) => [sideOf(change).path, listOf[change.status] ?? "modified"])),
    );
  }
  const [first, ...others] = differences;
  const found: ChangedPaths = { added: [], removed: [], modified: [] };
  for (const [path, list] of first ?? []) {
    if (others.every((other) => other.has(path))) found[list].push(entryName(path));
  }
  return found;
}
