import { tooLarge } from "../../errors.ts";
import type { ObjectId } from "../format/object-format.ts";
import { type TreeEntry, typeOfMode } from "../format/tree.ts";
import type { History } from "../history/history.ts";
import { readEntries } from "../history/read-entries.ts";
import { mostStepsOfTree } from "./attributes.ts";

/** The unpacked size of a tree: an upper bound when attributes leave things out. */
export interface TreeExtent {
  readonly entries: number;
  readonly bytes: number;
  /** Of the paths of all entries, from the tree on. */
  readonly pathBytes: number;
}

/** The limits of one archive. */
export interface ArchiveLimits {
  readonly entries: number;
  /** Content of all files. */
  readonly bytes: number;
  /** The bytes of all paths, which the central directory of a zip holds in memory. */
  readonly pathBytes: number;
  /** Steps of matching paths with .gitattributes. */
  readonly attributeSteps: number;
}

/** The bounds when the caller names none. */
export const defaultArchiveLimits: ArchiveLimits = {
  entries: 1_000_000,
  bytes: 16 * 2 ** 30,
  pathBytes: 128 * 2 ** 20,
  attributeSteps: mostStepsOfTree,
};

/** Folders below each other; git itself stops at 2,048 (`core.maxTreeDepth`). */
const deepestFolder = 2_048;

/**
 * Measures a tree before anything is written, each distinct tree once: a tree that repeats the same subtree would
 * unpack to more than any disk holds. Throws TooLarge past the limits, and an Error for a name that would leave the
 * archive's folder.
 */
export async function measureTree(
  history: History,
  tree: ObjectId,
  limits: ArchiveLimits = defaultArchiveLimits,
): Promise<TreeExtent> {
  return new TreeMeasure(history, limits).of(tree, 0);
}

class TreeMeasure {
  readonly #history: History;
  readonly #limits: ArchiveLimits;
  readonly #known = new Map<ObjectId, TreeExtent>();

  constructor(history: History, limits: ArchiveLimits) {
    this.#history = history;
    this.#limits = limits;
  }

  async of(id: ObjectId, depth: number): Promise<TreeExtent> {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    if (depth > deepestFolder)
      throw tooLarge(`the tree has more than ${deepestFolder} folders below each other`);
    let extent = nothing;
    for (const entry of await readEntries(this.#history, id)) {
      const pause = this.#history.pace();
      if (pause !== undefined) await pause;
      checkName(id, entry.path);
      extent = sum(extent, await this.#ofEntry(entry, depth));
      this.#check(extent);
    }
    this.#known.set(id, extent);
    return extent;
  }

  async #ofEntry({ id, mode, path }: TreeEntry, depth: number): Promise<TreeExtent> {
    const type = typeOfMode(mode);
    const own = { entries: 1, bytes: type === "blob" ? this.#history.sizeOf(id) : 0, pathBytes: path.length };
    if (type !== "tree") return own;
    const below = await this.of(id, depth + 1);
    const folderBytes = below.entries * (path.length + 1);
    return sum(own, { ...below, pathBytes: below.pathBytes + folderBytes });
  }

  #check({ entries, bytes, pathBytes }: TreeExtent): void {
    if (pathBytes > this.#limits.pathBytes) {
      throw tooLarge(
        `the archive's paths would have more than ${this.#limits.pathBytes} bytes: clone instead`,
      );
    }
    if (entries > this.#limits.entries) {
      throw tooLarge(
        `the archive would hold more than ${this.#limits.entries} files and folders: clone instead`,
      );
    }
    if (bytes > this.#limits.bytes) {
      throw tooLarge(`the archive would hold more than ${this.#limits.bytes} bytes: clone instead`);
    }
  }
}

const nothing: TreeExtent = { entries: 0, bytes: 0, pathBytes: 0 };

const sum = (left: TreeExtent, right: TreeExtent): TreeExtent => ({
  entries: left.entries + right.entries,
  bytes: left.bytes + right.bytes,
  pathBytes: left.pathBytes + right.pathBytes,
});

/**
 * Pushes with such names are refused, except for names that only lead elsewhere on systems where a backslash separates
 * folders. Stored objects may be older than that check, or damaged.
 */
function checkName(tree: ObjectId, name: string): void {
  const leadsElsewhere = name.startsWith("\\") || name.split("\\").includes("..");
  if (name !== "" && name !== "." && !leadsElsewhere && !name.includes("/")) return;
  throw new Error(`tree ${tree} has an entry with a name that no folder can hold`);
}
