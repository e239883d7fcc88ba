import { type ObjectFormat, objectIdBytes } from "../format/object-format.ts";
import { canonicalMode } from "../format/tree.ts";
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
  #tree: Buffer = Buffer.alloc(0);
  /** The starts of the last tree's entries, up to the wanted one. */
  #starts: number[] = [];
  /** How far the last tree was read; to its end when it has no such entry. */
  #end = 0;
  #found = -1;

  constructor(format: ObjectFormat, name: string) {
    this.#name = name;
    this.#idBytes = objectIdBytes(format);
  }

  /** Throws when the tree is cut short. */
  find(tree: Buffer): FoundEntry | undefined {
    if (this.#isLikeLast(tree)) this.#tree = tree;
    else this.#scan(tree);
    return this.#found < 0 ? undefined : this.#entryAt(this.#found);
  }

  #entryAt(start: number): FoundEntry {
    const tree = this.#tree;
    let mode = 0;
    for (let at = start; tree[at] !== space; at++) mode = mode * 8 + (tree[at] as number) - zeroDigit;
    return {
      mode: canonicalMode(mode),
      id: tree.toString("hex", this.#end - this.#idBytes, this.#end),
    };
  }

  /** Whether the entries are those of the last tree as far as that was read, except for some ids. */
  #isLikeLast(tree: Buffer): boolean {
    const end = this.#end;
    if (this.#starts.length === 0 || tree.length < end) return false;
    if (this.#found < 0 && tree.length !== this.#tree.length) return false;
    let at = 0;
    for (let differences = 0; differences < mostDifferences; differences++) {
      const different = this.#firstDifference(tree, at);
      if (different === end) return true;
      const entry = this.#entryHolding(different);
      const next = this.#starts[entry + 1] ?? end;
      if (different < next - this.#idBytes) return false;
      at = next;
      if (at === end) return true;
    }
    return false;
  }

  /** The first byte from `start` that differs from the last tree, found by halving: comparing is fast. */
  #firstDifference(tree: Buffer, start: number): number {
    let known = start;
    let end = this.#end;
    if (tree.compare(this.#tree, known, end, known, end) === 0) return end;
    while (known < end) {
      const middle = (known + end + 1) >>> 1;
      if (tree.compare(this.#tree, known, middle, known, middle) === 0) known = middle;
      else end = middle - 1;
    }
    return known;
  }

  #entryHolding(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #scan(tree: Buffer): void {
    const name = this.#name;
    this.#tree = tree;
    this.#starts = [];
    this.#found = -1;
    let at = 0;
    while (at < tree.length && this.#found < 0) {
      const start = at;
      this.#starts.push(start);
      while (at < tree.length && tree[at] !== space) at += 1;
      const nameStart = at + 1;
      let equal = 0;
      for (at = nameStart; at < tree.length && tree[at] !== 0; at++) {
        if (equal === at - nameStart && tree[at] === name.charCodeAt(equal)) equal += 1;
      }
      if (equal === name.length && at - nameStart === equal) this.#found = start;
      at += 1 + this.#idBytes;
      if (at > tree.length) throw new Error("tree is cut short");
    }
    this.#end = at;
  }
}
