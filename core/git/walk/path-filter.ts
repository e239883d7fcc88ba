import { mayHold, type PathKey, pathKey } from "../commit-graph/bloom-filter.ts";
import type { CommitLinks } from "../graph/commit-links.ts";
import type { ObjectId } from "../object/object-format.ts";
import { directoryMode } from "../object/tree.ts";
import type { HistoryReader } from "./history.ts";
import { type FoundEntry, PathFinder } from "./tree-entry.ts";

const mostKept = 20_000;

/** Says whether trees hold the same at some paths: git's pathspec of literal paths. */
export class PathFilter {
  readonly #paths: readonly string[];
  readonly #finders: readonly PathFinder[];
  /** Undefined where the root itself is asked for, of which filters say nothing. */
  readonly #keys: readonly PathKey[] | undefined;
  readonly #known = new Map<ObjectId, string>();

  /** Paths as raw bytes (latin1); one that ends in a slash means only a folder. */
  constructor(history: HistoryReader, paths: readonly string[]) {
    this.#paths = paths;
    this.#finders = paths.map((path) => new PathFinder(history, path));
    const bare = paths.map((path) => path.replace(/\/+$/, ""));
    this.#keys = bare.includes("") ? undefined : bare.map(pathKey);
  }

  /** Whether a commit is known to hold the same at the paths as its first parent, or nothing where it has none. */
  isUnchanged({ changedPaths }: CommitLinks): boolean {
    if (changedPaths === undefined || this.#keys === undefined) return false;
    return !this.#keys.some((key) => mayHold(changedPaths, key));
  }

  /** What a tree holds at the paths, as one comparable text; empty when there is nothing at any of them. */
  fingerprint(tree: ObjectId): string | Promise<string> {
    const known = this.#known.get(tree);
    if (known !== undefined) return known;
    const [path = "", ...others] = this.#paths;
    const [finder] = this.#finders;
    if (others.length > 0 || finder === undefined) return this.#ofAll(tree);
    const entry = finder.find(tree);
    if (entry instanceof Promise) return entry.then((found) => this.#keep(tree, textOf(path, found)));
    return this.#keep(tree, textOf(path, entry));
  }

  async #ofAll(tree: ObjectId): Promise<string> {
    const texts = [];
    for (const [at, finder] of this.#finders.entries()) {
      texts.push(textOf(this.#paths[at] as string, await finder.find(tree)));
    }
    return this.#keep(tree, texts.every((text) => text === "") ? "" : texts.join(" "));
  }

  #keep(tree: ObjectId, text: string): string {
    if (this.#known.size >= mostKept) this.#known.clear();
    this.#known.set(tree, text);
    return text;
  }
}

function textOf(path: string, entry: FoundEntry | undefined): string {
  if (entry === undefined || (path.endsWith("/") && entry.mode !== directoryMode)) return "";
  return `${entry.mode}:${entry.id}`;
}
