import type { ObjectId } from "../format/object-format.ts";
import { directoryMode } from "../format/tree.ts";
import { EntryFinder } from "./entry-finder.ts";
import type { HistoryReader } from "./history.ts";

/** The target of a path: the mode that git would write today, and the object (of a submodule, its commit). */
export interface FoundEntry {
  readonly mode: number;
  readonly id: ObjectId;
}

/** Finds the target of one path (raw bytes, latin1) in tree after tree. */
export class PathFinder {
  readonly #history: HistoryReader;
  readonly #finders: readonly EntryFinder[];

  constructor(history: HistoryReader, path: string) {
    this.#history = history;
    const names = path.split("/").filter((name) => name !== "");
    this.#finders = names.map((name) => new EntryFinder(history.format, name));
  }

  /**
   * The path's target in a tree; the tree itself for the empty path. Undefined when there is nothing, also below a file
   * or a submodule.
   */
  find(tree: ObjectId): FoundEntry | undefined | Promise<FoundEntry | undefined> {
    return this.#descend({ mode: directoryMode, id: tree }, 0);
  }

  #descend(from: FoundEntry, depth: number): FoundEntry | undefined | Promise<FoundEntry | undefined> {
    let entry: FoundEntry | undefined = from;
    for (let level = depth; level < this.#finders.length; level++) {
      if (entry === undefined || entry.mode !== directoryMode) return undefined;
      const finder = this.#finders[level] as EntryFinder;
      const tree = this.#history.tree(entry.id);
      const found = tree instanceof Promise ? tree.then((data) => finder.find(data)) : finder.find(tree);
      if (found instanceof Promise) {
        return found.then((next) => (next === undefined ? undefined : this.#descend(next, level + 1)));
      }
      entry = found;
    }
    return entry;
  }
}

/** The target of a path in one tree. */
export const findEntry = (
  history: HistoryReader,
  tree: ObjectId,
  path: string,
): FoundEntry | undefined | Promise<FoundEntry | undefined> => new PathFinder(history, path).find(tree);
