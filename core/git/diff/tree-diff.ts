import { type ObjectFormat, type ObjectId, objectIdBytes } from "../object/object-format.ts";
import { canonicalMode, directoryMode } from "../object/tree.ts";
import type { HistoryReader } from "../walk/history.ts";
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

/** One entry of a tree, and its sort key. */
interface Entry {
  readonly key: string;
  readonly name: string;
  readonly mode: number;
  readonly id: ObjectId;
}

/** Two folders to compare, or two entries of one name to report. */
type Job =
  | { readonly kind: "trees"; readonly before?: ObjectId; readonly after?: ObjectId; readonly prefix: string }
  | { readonly kind: "change"; readonly change: FileChange };

class TreeComparison {
  readonly changes: FileChange[] = [];
  readonly reads = { trees: 0, pathBytes: 0 };
  readonly #history: HistoryReader;
  readonly #left: { changes: number; trees: number; pathBytes: number };

  constructor(history: HistoryReader, limits: TreeDiffLimits) {
    this.#history = history;
    this.#left = { ...defaults, ...limits };
  }

  get isCut(): boolean {
    return this.#left.changes < 0 || this.#left.trees < 0 || this.#left.pathBytes < 0;
  }

  async compare(before: ObjectId | undefined, after: ObjectId | undefined): Promise<void> {
    const stack: Job[] = [jobOf(before, after, "")];
    for (let job = stack.pop(); job !== undefined; job = stack.pop()) {
      if (job.kind === "change") this.#note(job.change);
      else if (job.before !== job.after) {
        const jobs = await this.#jobsOf(job);
        for (let at = jobs.length - 1; at >= 0; at--) stack.push(jobs[at] as Job);
      }
      if (this.isCut) return;
      const pause = this.#history.pace();
      if (pause !== undefined) await pause;
    }
  }

  #note(change: FileChange): void {
    const { path } = (change.new ?? change.old) as FileSide;
    this.#left.changes -= 1;
    this.#left.pathBytes -= path.length;
    this.reads.pathBytes += path.length;
    if (!this.isCut) this.changes.push(change);
  }

  async #jobsOf({ before, after, prefix }: Job & { kind: "trees" }): Promise<Job[]> {
    const [old, fresh] = [await this.#entries(before), await this.#entries(after)];
    const jobs: Job[] = [];
    let oldAt = 0;
    let newAt = 0;
    while (oldAt < old.length || newAt < fresh.length) {
      const [left, right] = [old[oldAt], fresh[newAt]];
      const order = left === undefined ? 1 : right === undefined ? -1 : compareKeys(left.key, right.key);
      if (order <= 0) oldAt += 1;
      if (order >= 0) newAt += 1;
      const [from, to] = [order <= 0 ? left : undefined, order >= 0 ? right : undefined];
      if (from?.id === to?.id && from?.mode === to?.mode) continue;
      jobs.push(jobOfEntries(from, to, prefix));
    }
    return jobs;
  }

  async #entries(id: ObjectId | undefined): Promise<Entry[]> {
    if (id === undefined) return [];
    this.#left.trees -= 1;
    this.reads.trees += 1;
    const tree = this.#history.tree(id);
    return entriesOf(this.#history.format, tree instanceof Promise ? await tree : tree);
  }
}

function entriesOf(format: ObjectFormat, data: Buffer): Entry[] {
  const idBytes = objectIdBytes(format);
  const entries: Entry[] = [];
  for (let at = 0; at < data.length; ) {
    const gap = data.indexOf(0x20, at);
    const end = gap < 0 ? -1 : data.indexOf(0, gap);
    if (end < 0 || end + 1 + idBytes > data.length) throw new Error("tree is cut short");
    const mode = canonicalMode(Number.parseInt(data.toString("latin1", at, gap), 8));
    const name = data.toString("latin1", gap + 1, end);
    at = end + 1 + idBytes;
    const key = mode === directoryMode ? `${name}/` : name;
    entries.push({ key, name, mode, id: data.toString("hex", end + 1, at) });
  }
  return entries;
}

const compareKeys = (left: string, right: string): number => (left === right ? 0 : left < right ? -1 : 1);

function jobOf(before: ObjectId | undefined, after: ObjectId | undefined, prefix: string): Job {
  return { kind: "trees", prefix, ...(before && { before }), ...(after && { after }) };
}

function jobOfEntries(from: Entry | undefined, to: Entry | undefined, prefix: string): Job {
  const { name, mode } = (from ?? to) as Entry;
  if (mode === directoryMode) return jobOf(from?.id, to?.id, `${prefix}${name}/`);
  return { kind: "change", change: changeOf(from, to, `${prefix}${name}`) };
}

function changeOf(from: Entry | undefined, to: Entry | undefined, path: string): FileChange {
  const old = from && { path, mode: from.mode, id: from.id };
  const fresh = to && { path, mode: to.mode, id: to.id };
  return { status: statusOf(old, fresh), ...(old && { old }), ...(fresh && { new: fresh }) };
}

function statusOf(old: FileSide | undefined, fresh: FileSide | undefined): ChangeStatus {
  if (old === undefined) return "added";
  if (fresh === undefined) return "deleted";
  return (old.mode ^ fresh.mode) & 0o170000 ? "type-changed" : "modified";
}
