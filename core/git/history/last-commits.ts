import type { ObjectId } from "../format/object-format.ts";
import { directoryMode } from "../format/tree.ts";
import { mayHold, type PathKey, pathKey } from "./commit-graph/bloom-filter.ts";
import { DateQueue } from "./date-queue.ts";
import { differingNames } from "./differing-names.ts";
import type { History } from "./history.ts";
import { readEntries } from "./read-entries.ts";
import { PathFinder } from "./tree-entry.ts";

/** The last commit that changed each entry of a folder, by name (raw bytes, latin1). */
export interface LastCommits {
  readonly commits: ReadonlyMap<string, ObjectId>;
  /** False when the time was up before all were found. */
  readonly isComplete: boolean;
}

const defaultTimeMs = 8_000;

/**
 * For each entry of a folder the result of `git log -1 -- <folder>/<entry>`, in one walk for all of them. `names` asks
 * for some entries only. Undefined when the path is no folder of the commit.
 */
export async function lastCommits(
  history: History,
  tip: ObjectId,
  folder: string,
  options: { readonly names?: readonly string[]; readonly timeMs?: number } = {},
): Promise<LastCommits | undefined> {
  return new LastCommitWalk(history, folder).run(tip, options);
}

class LastCommitWalk {
  readonly #history: History;
  readonly #folder: PathFinder;
  /** Undefined for the root, which every commit may change. */
  readonly #key: PathKey | undefined;
  /** Names whose last commit is sought, by the commit that the search has reached. */
  readonly #sought = new Map<ObjectId, Set<string>>();
  readonly #queue = new DateQueue<ObjectId>();
  readonly #found = new Map<string, ObjectId>();

  constructor(history: History, folder: string) {
    this.#history = history;
    this.#folder = new PathFinder(history, folder);
    this.#key = folder === "" ? undefined : pathKey(folder);
  }

  async run(
    tip: ObjectId,
    { names, timeMs = defaultTimeMs }: { names?: readonly string[]; timeMs?: number },
  ): Promise<LastCommits | undefined> {
    await this.#history.openGraph();
    const until = this.#history.elapsedMs + timeMs;
    const folder = await this.#folderOf(tip);
    if (folder === undefined) return undefined;
    const asked = names && new Set(names);
    const wanted = await readEntries(this.#history, folder, ({ path }) => asked?.has(path) !== false);
    await this.#send(tip, new Set(wanted.map(({ path }) => path)));
    for (let id = this.#queue.pop(); id !== undefined; id = this.#queue.pop()) {
      const pause = this.#history.pace();
      if (pause !== undefined) await pause;
      if (this.#history.elapsedMs > until) return { commits: this.#found, isComplete: false };
      const sought = this.#sought.get(id);
      this.#sought.delete(id);
      if (sought !== undefined) await this.#pass(id, sought);
    }
    return { commits: this.#found, isComplete: true };
  }

  /** Sends each name on to the first parent that has the same entry; a name that differs in every parent is found. */
  async #pass(id: ObjectId, sought: Set<string>): Promise<void> {
    const links = this.#history.links(id);
    const { parents, changedPaths } = links instanceof Promise ? await links : links;
    const [first] = parents;
    const mayDiffer =
      changedPaths === undefined || this.#key === undefined || mayHold(changedPaths, this.#key);
    if (!mayDiffer && first !== undefined) return this.#send(first, sought);
    const own = await this.#folderOf(id);
    let left = sought;
    for (const parent of parents) {
      const theirs = await this.#folderOf(parent);
      const changed = await this.#changed(own, theirs, left);
      if (changed.size === left.size) continue;
      for (const name of changed) left.delete(name);
      await this.#send(parent, left);
      if (changed.size === 0) return;
      left = changed;
    }
    for (const name of left) this.#found.set(name, id);
  }

  /** Those of some names under which two folders hold something else. */
  async #changed(
    own: ObjectId | undefined,
    theirs: ObjectId | undefined,
    names: ReadonlySet<string>,
  ): Promise<Set<string>> {
    if (own === theirs) return new Set();
    if (own === undefined || theirs === undefined) return new Set(names);
    const trees = [await this.#history.tree(own), await this.#history.tree(theirs)] as const;
    const differing = await differingNames(this.#history, ...trees);
    for (const name of differing) if (!names.has(name)) differing.delete(name);
    return differing;
  }

  /** Sets are passed on whole: mostly nearly all names go to the one parent. */
  async #send(id: ObjectId, names: Set<string>): Promise<void> {
    const waiting = this.#sought.get(id);
    if (waiting !== undefined) {
      for (const name of names) waiting.add(name);
      return;
    }
    this.#sought.set(id, names);
    const links = this.#history.links(id);
    this.#queue.push((links instanceof Promise ? await links : links).seconds, id);
  }

  /** The folder's tree in a commit; undefined when there is none. */
  async #folderOf(id: ObjectId): Promise<ObjectId | undefined> {
    const links = this.#history.links(id);
    const { tree } = links instanceof Promise ? await links : links;
    const entry = this.#folder.find(tree);
    const found = entry instanceof Promise ? await entry : entry;
    return found?.mode === directoryMode ? found.id : undefined;
  }
}
