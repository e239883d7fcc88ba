const space = 0x20;
/** How much of a tree is read at a time; it takes some milliseconds at most. */
const stepBytes = 2 ** 20;

/** One reading of a raw tree for the entry of a name (raw bytes, latin1). */
export class TreeScan {
  tree: Buffer;
  /** The starts of the entries, up to the wanted one. */
  readonly starts: number[] = [];
  /** How far the tree was read; to its end when it has no such entry. */
  end = 0;
  /** The start of the wanted entry, or -1. */
  found = -1;
  readonly #name: string;
  readonly #idBytes: number;

  constructor(tree: Buffer, name: string, idBytes: number) {
    this.tree = tree;
    this.#name = name;
    this.#idBytes = idBytes;
  }

  /** Reads on; answers whether it reached the entry or the tree's end. Throws when the tree is cut short. */
  step(): boolean {
    const [tree, name] = [this.tree, this.#name];
    const stepEnd = Math.min(tree.length, this.end + stepBytes);
    let at = this.end;
    while (at < stepEnd && this.found < 0) {
      const start = at;
      this.starts.push(start);
      while (at < tree.length && tree[at] !== space) at += 1;
      const nameStart = at + 1;
      let equal = 0;
      for (at = nameStart; at < tree.length && tree[at] !== 0; at++) {
        if (equal === at - nameStart && tree[at] === name.charCodeAt(equal)) equal += 1;
      }
      if (equal === name.length && at - nameStart === equal) this.found = start;
      at += 1 + this.#idBytes;
      if (at > tree.length) throw new Error("tree is cut short");
    }
    this.end = at;
    return this.found >= 0 || at === tree.length;
  }
}
