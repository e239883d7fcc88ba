import type { Commit } from "../git/object/commit.ts";
import { emptyTreeId, type ObjectId } from "../git/object/object-format.ts";
import { directoryMode, entryName, parseTree, type TreeEntry } from "../git/object/tree.ts";
import { type ObjectReader, readCommit } from "./pushed-commits.ts";

/** Paths that a commit touched, each list in the order of the trees. */
export interface ChangedFiles {
  readonly added: string[];
  readonly removed: string[];
  readonly modified: string[];
}

type Change = keyof ChangedFiles;
const mostChanges = 3_000;

/**
 * What a commit changed against its parent, without looking for renames; a merge, what differs from every parent.
 * After 3,000 paths the rest is left out.
 */
export async function changedFiles(reader: ObjectReader, commit: Commit): Promise<ChangedFiles> {
  const parents = await Promise.all(
    commit.parents.filter((id) => reader.has(id)).map((id) => readCommit(reader, id)),
  );
  const trees = parents.length === 0 ? [undefined] : parents.map((parent) => parent.commit.tree);
  const [first, ...others] = await Promise.all(trees.map((tree) => differences(reader, tree, commit.tree)));
  const files: ChangedFiles = { added: [], removed: [], modified: [] };
  for (const [path, change] of first ?? []) {
    if (others.every((other) => other.has(path))) files[change].push(entryName(path));
  }
  return files;
}

/** Changed paths (raw bytes, one character each) between two trees. */
async function differences(
  reader: ObjectReader,
  before: ObjectId | undefined,
  after: ObjectId | undefined,
): Promise<Map<string, Change>> {
  const found = new Map<string, Change>();
  await compare(reader, before, after, "", found);
  return found;
}

async function compare(
  reader: ObjectReader,
  before: ObjectId | undefined,
  after: ObjectId | undefined,
  prefix: string,
  found: Map<string, Change>,
): Promise<void> {
  if (before === after || found.size >= mostChanges) return;
  const [old, fresh] = await Promise.all([entriesOf(reader, before), entriesOf(reader, after)]);
  for (const name of new Set([...old.keys(), ...fresh.keys()])) {
    if (found.size >= mostChanges) return;
    const [from, to] = [old.get(name), fresh.get(name)];
    if (from !== undefined && to !== undefined && from.id === to.id && from.mode === to.mode) continue;
    const path = `${prefix}${name}`;
    const change = changeOf(from, to);
    if (change !== undefined) found.set(path, change);
    const [fromTree, toTree] = [treeOf(from), treeOf(to)];
    if (fromTree ?? toTree) await compare(reader, fromTree, toTree, `${path}/`, found);
  }
}

/** What happened to the file of a name, if there was or is one; folders are entered, not told of. */
function changeOf(from: TreeEntry | undefined, to: TreeEntry | undefined): Change | undefined {
  const [wasFile, isFile] = [from !== undefined && !isTree(from), to !== undefined && !isTree(to)];
  if (wasFile && isFile) return "modified";
  if (wasFile) return "removed";
  return isFile ? "added" : undefined;
}

const isTree = (entry: TreeEntry): boolean => (entry.mode & 0o170000) === directoryMode;
const treeOf = (entry: TreeEntry | undefined): ObjectId | undefined =>
  entry !== undefined && isTree(entry) ? entry.id : undefined;

async function entriesOf(reader: ObjectReader, tree: ObjectId | undefined): Promise<Map<string, TreeEntry>> {
  // Git knows the empty tree without storing it.
  if (tree === undefined || tree === emptyTreeId(reader.format)) return new Map();
  const entries = parseTree(reader.format, (await reader.read(tree)).data);
  return new Map(entries.map((entry) => [entry.path, entry]));
}
