import { DateQueue } from "../graph/date-queue.ts";
import type { ObjectId } from "../object/object-format.ts";
import { canonicalMode, directoryMode, parseTree } from "../object/tree.ts";
import type { History } from "./history.ts";
import { findEntry } from "./tree-entry.ts";

/** The last commit that changed each entry of a folder, by name (raw bytes, latin1). */
export interface LastCommits {
  readonly commits: ReadonlyMap<string, ObjectId>;
  /** False where the time was up before all were found. */
  readonly isComplete: boolean;
}

type Entries = ReadonlyMap<string, string>;

const defaultTimeMs = 8_000;

/**
 * For each entry of a folder what `git log -1 -- <folder>/<entry>` says, in one walk for all of them. `names` asks for
 * some entries only. Undefined when the path is no folder of the commit.
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
  readonly #folder: string;
  /** Names whose last commit is sought, by the commit that the search has come to. */
  readonly #sought = new Map<ObjectId, Set<string>>();
  readonly #queue = new DateQueue<ObjectId>();
  readonly #found = new Map<string, ObjectId>();
  readonly #entries = new Map<ObjectId, Entries>();

  constructor(history: History, folder: string) {
    this.#history = history;
    this.#folder = folder;
  }

  async run(
    tip: ObjectId,
    { names, timeMs = defaultTimeMs }: { names?: readonly string[]; timeMs?: number },
  ): Promise<LastCommits | undefined> {
    const until = this.#history.elapsedMs + timeMs;
    const folder = await this.#folderOf(tip);
    if (folder === undefined) return undefined;
    const all = await this.#entriesOf(folder);
    const wanted = names?.filter((name) => all.has(name)) ?? [...all.keys()];
    await this.#send(tip, wanted);
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

  /** Sends each name on to the first parent that has the same entry; what every parent has otherwise is found. */
  async #pass(id: ObjectId, sought: Set<string>): Promise<void> {
    const links = this.#history.links(id);
    const { parents } = links instanceof Promise ? await links : links;
    const own = await this.#folderOf(id);
    let left = sought;
    for (const parent of parents) {
      if (left.size === 0) return;
      const theirs = await this.#folderOf(parent);
      if (theirs === own) {
        await this.#send(parent, left);
        return;
      }
      const [ours, others] = [await this.#entriesOf(own), await this.#entriesOf(theirs)];
      const same = [...left].filter((name) => ours.get(name) === others.get(name));
      if (same.length === 0) continue;
      await this.#send(parent, same);
      left =
        left.size === same.length
          ? new Set()
          : new Set([...left].filter((name) => ours.get(name) !== others.get(name)));
    }
    for (const name of left) this.#found.set(name, id);
  }

  async #send(id: ObjectId, names: Iterable<string>): Promise<void> {
    const waiting = this.#sought.get(id);
    if (waiting !== undefined) {
      for (const name of names) waiting.add(name);
      return;
    }
    this.#sought.set(id, new Set(names));
    const links = this.#history.links(id);
    this.#queue.push((links instanceof Promise ? await links : links).seconds, id);
  }

  /** The folder's tree in a commit; undefined where there is none. */
  async #folderOf(id: ObjectId): Promise<ObjectId | undefined> {
    const links = this.#history.links(id);
    const { tree } = links instanceof Promise ? await links : links;
    const entry = findEntry(this.#history, tree, this.#folder);
    const found = entry instanceof Promise ? await entry : entry;
    return found?.mode === directoryMode ? found.id : undefined;
  }

  async #entriesOf(tree: ObjectId | undefined): Promise<Entries> {
    if (tree === undefined) return new Map();
    const known = this.#entries.get(tree);
    if (known !== undefined) return known;
    const entries = new Map(
      parseTree(this.#history.format, await this.#history.tree(tree)).map(({ path, mode, id }) => [
        path,
        `${canonicalMode(mode)}:${id}`,
      ]),
    );
    // Two trees are compared at a time, and commits come in an order where one of them is met again at once.
    if (this.#entries.size >= 4) this.#entries.delete(this.#entries.keys().next().value as ObjectId);
    this.#entries.set(tree, entries);
    return entries;
  }
}
