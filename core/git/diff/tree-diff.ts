import type { ObjectId } from "../format/object-format.ts";
import { canonicalMode, compareEntries, directoryMode, entriesOf, type TreeEntry } from "../format/tree.ts";
import type { HistoryReader } from "../history/history.ts";
import type { ChangeStatus, FileChange, FileSide } from "./file-change.ts";

/** How much of two trees is looked at. */
export interface TreeDiffLimits {
  /** Changed files; 100,000 when not given. */
  readonly changes?: number;
  /** Trees read; 200,000 when not given. */
  readonly trees?: number;
  /** Bytes of all paths together; 32 MiB when not given. */
  readonly pathBytes?: number;
}

/** The files that differ, in git's order; cut when a limit was met; and how much of the limits was used. */
export interface TreeDiff {
  readonly changes: readonly FileChange[];
  readonly isCut: boolean;
  readonly reads: { readonly trees: number; readonly pathBytes: number };
}

const defaults = { changes: 100_000, trees: 200_000, pathBytes: 32 * 2 ** 20 };

/**
 * Files that differ between two trees, including folders' contents, without renames. Undefined stands for no tree at
 * all, so that everything of the other side is added or deleted. `path` restricts the result to a file or a folder's
 * content.
 */
export async function diffTrees(
  history: HistoryReader,
  before: ObjectId | undefined,
  after: ObjectId | undefined,
  limits: TreeDiffLimits = {},
): Promise<TreeDiff> {
  const walk = new TreeComparison(history, limits);
  await walk.compare(before, after);
  return { changes: walk.changes, isCut: walk.isCut, reads: walk.reads };
}

/** The entries of one name and kind in two folders. */
interface EntryPair {
  readonly from?: TreeEntry | undefined;
  readonly to?: TreeEntry | undefined;
}

/** Two folders that are being compared; entries are read as they are needed, as there may be a million. */
interface FolderPair {
  readonly prefix: string;
  readonly pairs: Iterator<EntryPair>;
}

class TreeComparison {
  readonly changes: FileChange[] = [];
  readonly reads = { trees: 0, pathBytes: 0 };
  readonly #history: HistoryReader;
  readonly #left: { changes: number; trees: number; pathBytes: number };
  readonly #open: FolderPair[] = [];

  constructor(history: HistoryReader, limits: TreeDiffLimits) {
    this.#history = history;
    this.#left = { ...defaults, ...limits };
  }

  get isCut(): boolean {
    return this.#left.changes < 0 || this.#left.trees < 0 || this.#left.pathBytes < 0;
  }

  async compare(before: ObjectId | undefined, after: ObjectId | undefined): Promise<void> {
    if (before !== after) await this.#enter(before, after, "");
    for (let folder = this.#open.at(-1); folder !== undefined && !this.isCut; folder = this.#open.at(-1)) {
      const next = folder.pairs.next();
      if (next.done === true) this.#open.pop();
      const entering = next.done === true ? undefined : this.#compareEntries(next.value, folder.prefix);
      if (entering !== undefined) await entering;
      const pause = this.#history.pace();
      if (pause !== undefined) await pause;
    }
  }

  #compareEntries({ from, to }: EntryPair, prefix: string): Promise<void> | undefined {
    if (from?.id === to?.id && from?.mode === to?.mode) return undefined;
    const { path, mode } = (from ?? to) as TreeEntry;
    if (mode === directoryMode) return this.#enter(from?.id, to?.id, `${prefix}${path}/`);
    this.#note(changeOf(from, to, `${prefix}${path}`));
    return undefined;
  }

  #note(change: FileChange): void {
    const { path } = (change.new ?? change.old) as FileSide;
    this.#left.changes -= 1;
    this.#left.pathBytes -= path.length;
    this.reads.pathBytes += path.length;
    if (!this.isCut) this.changes.push(change);
  }

  async #enter(before: ObjectId | undefined, after: ObjectId | undefined, prefix: string): Promise<void> {
    const old = await this.#entries(before);
    this.#open.push({ prefix, pairs: pairsOf(old, await this.#entries(after)) });
  }

  async #entries(id: ObjectId | undefined): Promise<Iterator<TreeEntry>> {
    if (id === undefined) return ([] as TreeEntry[]).values();
    this.#left.trees -= 1;
    this.reads.trees += 1;
    const tree = this.#history.tree(id);
    return entriesOf(this.#history.format, tree instanceof Promise ? await tree : tree);
  }
}

function* pairsOf(old: Iterator<TreeEntry>, fresh: Iterator<TreeEntry>): Generator<EntryPair> {
  let [from, to] = [nextOf(old), nextOf(fresh)];
  while (from !== undefined || to !== undefined) {
    const order = from === undefined ? 1 : to === undefined ? -1 : compareEntries(from, to);
    yield { from: order <= 0 ? from : undefined, to: order >= 0 ? to : undefined };
    if (order <= 0) from = nextOf(old);
    if (order >= 0) to = nextOf(fresh);
  }
}

/** The next entry, with the mode that git would write today. */
function nextOf(entries: Iterator<TreeEntry>): TreeEntry | undefined {
  const { value, done } = entries.next();
  if (done === true) return undefined;
  value.mode = canonicalMode(value.mode);
  return value;
}

function changeOf(from: TreeEntry | undefined, to: TreeEntry | undefined, path: string): FileChange {
  const old = from && { path, mode: from.mode, id: from.id };
  const fresh = to && { path, mode: to.mode, id: to.id };
  return { status: statusOf(old, fresh), ...(old && { old }), ...(fresh && { new: fresh }) };
}

function statusOf(old: FileSide | undefined, fresh: FileSide | undefined): ChangeStatus {
  if (old === undefined) return "added";
  if (fresh === undefined) return "deleted";
  return (old.mode ^ fresh.mode) & 0o170000 ? "type-changed" : "modified";
}
