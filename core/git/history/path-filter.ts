import type { ObjectId } from "../format/object-format.ts";
import { directoryMode } from "../format/tree.ts";
import { mayHold, type PathKey, pathKey } from "./commit-graph/bloom-filter.ts";
import type { CommitLinks } from "./commit-links.ts";
import type { HistoryReader } from "./history.ts";
import { type FoundEntry, PathFinder } from "./tree-entry.ts";

const mostKept = 20_000;

/** Says whether trees are equal at some paths: git's pathspec of literal paths. */
export class PathFilter {
  readonly #paths: readonly string[];
  readonly #finders: readonly PathFinder[];
  /** Undefined for the root itself, which filters don't know. */
  readonly #keys: readonly PathKey[] | undefined;
  readonly #known = new Map<ObjectId, string>();

  /** Paths as raw bytes (latin1); one that ends in a slash means only a folder. */
  constructor(history: HistoryReader, paths: readonly string[]) {
    this.#paths = paths;
    this.#finders = paths.map((path) => new PathFinder(history, path));
    const bare = paths.map((path) => path.replace(/\/+$/, ""));
    this.#keys = bare.includes("") ? undefined : bare.map(pathKey);
  }

  /** Whether a commit is known to equal its first parent at the paths, or to hold nothing there when it has none. */
  isUnchanged({ changedPaths }: CommitLinks): boolean {
    if (changedPaths === undefined || this.#keys === undefined) return false;
    return !this.#keys.some((key) => mayHold(changedPaths, key));
  }

  /** The content of a tree at the paths, as one comparable text; empty when there is nothing at any of them. */
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
