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

/** What one commit may take: trees are users' texts, and a few small ones can name more paths than there are atoms. */
const most = { changes: 3_000, pathBytes: 512 * 1024, trees: 20_000, parents: 50 };

/**
 * What a commit changed against its parent, without looking for renames; a merge, what differs from every parent.
 * After 3,000 paths, 512 KiB of them or 20,000 trees the rest is left out.
 */
export async function changedFiles(reader: ObjectReader, commit: Commit): Promise<ChangedFiles> {
  const known = [...new Set(commit.parents)].filter((id) => reader.has(id)).slice(0, most.parents);
  const trees: (ObjectId | undefined)[] = [];
  for (const id of known) trees.push((await readCommit(reader, id)).commit.tree);
  const comparison = new Comparison(reader);
  const differences: Map<string, Change>[] = [];
  for (const tree of trees.length === 0 ? [undefined] : trees)
    differences.push(await comparison.of(tree, commit.tree));
  const [first, ...others] = differences;
  const files: ChangedFiles = { added: [], removed: [], modified: [] };
  for (const [path, change] of first ?? []) {
    if (others.every((other) => other.has(path))) files[change].push(entryName(path));
  }
  return files;
}

/** Compares trees, within the bounds that one commit has for all its parents. */
class Comparison {
  readonly #reader: ObjectReader;
  #treesLeft = most.trees;
  #pathBytesLeft = most.pathBytes;

  constructor(reader: ObjectReader) {
    this.#reader = reader;
  }

  /** Changed paths (raw bytes, one character each) between two trees. */
  async of(before: ObjectId | undefined, after: ObjectId | undefined): Promise<Map<string, Change>> {
    const found = new Map<string, Change>();
    await this.#compare(before, after, "", found);
    return found;
  }

  async #compare(
    before: ObjectId | undefined,
    after: ObjectId | undefined,
    prefix: string,
    found: Map<string, Change>,
  ): Promise<void> {
    if (before === after || this.#isOver(found)) return;
    const [old, fresh] = [await this.#entriesOf(before), await this.#entriesOf(after)];
    for (const name of new Set([...old.keys(), ...fresh.keys()])) {
      if (this.#isOver(found)) return;
      const [from, to] = [old.get(name), fresh.get(name)];
      if (from !== undefined && to !== undefined && from.id === to.id && from.mode === to.mode) continue;
      const path = `${prefix}${name}`;
      const change = changeOf(from, to);
      if (change !== undefined) this.#note(path, change, found);
      const [fromTree, toTree] = [treeOf(from), treeOf(to)];
      if (fromTree ?? toTree) await this.#compare(fromTree, toTree, `${path}/`, found);
    }
  }

  #note(path: string, change: Change, found: Map<string, Change>): void {
    this.#pathBytesLeft -= path.length;
    if (this.#pathBytesLeft >= 0) found.set(path, change);
  }

  #isOver(found: ReadonlyMap<string, Change>): boolean {
    return found.size >= most.changes || this.#pathBytesLeft < 0 || this.#treesLeft <= 0;
  }

  async #entriesOf(tree: ObjectId | undefined): Promise<Map<string, TreeEntry>> {
    if (tree === undefined) return new Map();
    this.#treesLeft -= 1;
    const { format } = this.#reader;
    // Git knows the empty tree without storing it.
    if (tree === emptyTreeId(format)) return new Map();
    const entries = parseTree(format, (await this.#reader.read(tree)).data);
    return new Map(entries.map((entry) => [entry.path, entry]));
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
