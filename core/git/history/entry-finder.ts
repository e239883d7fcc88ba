import { manySteps, Pacer } from "../../concurrency/pacer.ts";
import { type ObjectFormat, objectIdBytes } from "../format/object-format.ts";
import { canonicalMode } from "../format/tree.ts";
import { TreeScan } from "./internal/tree-scan.ts";
import type { FoundEntry } from "./tree-entry.ts";

const space = 0x20;
const zeroDigit = 0x30;
/** How many entries may differ from the last tree before a tree is read from its beginning. */
const mostDifferences = 8;

/**
 * Finds the entry of one name (raw bytes, latin1) in tree after tree. The trees of a path in neighboring commits differ
 * in a few ids, so mostly it only checks that the part before the entry has the same length.
 */
export class EntryFinder {
  readonly #name: string;
  readonly #idBytes: number;
  #last: TreeScan | undefined;

  constructor(format: ObjectFormat, name: string) {
    this.#name = name;
    this.#idBytes = objectIdBytes(format);
  }

  /** Throws when the tree is cut short. Others run while a large tree is read. */
  find(tree: Buffer): FoundEntry | undefined | Promise<FoundEntry | undefined> {
    if (this.#last !== undefined && this.#isLike(this.#last, tree)) {
      this.#last.tree = tree;
      return this.#entryOf(this.#last);
    }
    const scan = new TreeScan(tree, this.#name, this.#idBytes);
    return scan.step() ? this.#entryOf(scan) : this.#findPaced(scan);
  }

  async #findPaced(scan: TreeScan): Promise<FoundEntry | undefined> {
    const pacer = new Pacer();
    while (!scan.step()) if (pacer.isDue(manySteps)) await pacer.pause();
    return this.#entryOf(scan);
  }

  #entryOf(scan: TreeScan): FoundEntry | undefined {
    this.#last = scan;
    const { tree, found, end } = scan;
    if (found < 0) return undefined;
    let mode = 0;
    for (let at = found; tree[at] !== space; at++) mode = mode * 8 + (tree[at] as number) - zeroDigit;
    return { mode: canonicalMode(mode), id: tree.toString("hex", end - this.#idBytes, end) };
  }

  /** Whether the entries are those of the last tree as far as that was read, except for some ids. */
  #isLike({ tree: last, starts, end, found }: TreeScan, tree: Buffer): boolean {
    if (starts.length === 0 || tree.length < end) return false;
    if (found < 0 && tree.length !== last.length) return false;
    let at = 0;
    for (let differences = 0; differences < mostDifferences; differences++) {
      const different = firstDifference(tree, last, at, end);
      if (different === end) return true;
      const next = starts[entryHolding(starts, different) + 1] ?? end;
      if (different < next - this.#idBytes) return false;
      at = next;
      if (at === end) return true;
    }
    return false;
  }
}

/** The first byte from `start` to `end` that differs between two trees, found by halving: comparing is fast. */
function firstDifference(tree: Buffer, last: Buffer, start: number, end: number): number {
  if (tree.compare(last, start, end, start, end) === 0) return end;
  let [known, before] = [start, end];
  while (known < before) {
    const middle = (known + before + 1) >>> 1;
    if (tree.compare(last, known, middle, known, middle) === 0) known = middle;
    else before = middle - 1;
  }
  return known;
}

/** The place of the entry that holds a byte, of entries that start at `starts`. */
function entryHolding(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((starts[middle] as number) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
