import { type ObjectFormat, type ObjectId, objectIdBytes } from "../../format/object-format.ts";
import type { GraphEntry } from "./graph-layer.ts";

const leastRoom = 256;

/**
 * Commits of a graph in the making: flat arrays that double when full, about 100 bytes for each commit where objects
 * would take 600. Parents are named by id, filters lie end to end.
 */
export class GraphColumns {
  readonly format: ObjectFormat;
  readonly idBytes: number;
  count = 0;
  ids: Buffer;
  trees: Buffer;
  seconds = new Float64Array(leastRoom);
  generations = new Uint32Array(leastRoom);
  parentEnds = new Uint32Array(leastRoom);
  filterEnds = new Uint32Array(leastRoom);
  parents: Buffer;
  filters = Buffer.alloc(leastRoom);

  constructor(format: ObjectFormat) {
    this.format = format;
    this.idBytes = objectIdBytes(format);
    this.ids = Buffer.alloc(leastRoom * this.idBytes);
    this.trees = Buffer.alloc(leastRoom * this.idBytes);
    this.parents = Buffer.alloc(leastRoom * this.idBytes);
  }

  /** Of all commits together. */
  get parentCount(): number {
    return this.#parentEnd(this.count - 1);
  }

  /** Adds a commit; answers its number. */
  add({ id, tree, parents, seconds, generation, changedPaths }: GraphEntry): number {
    const number = this.count++;
    const parentAt = this.#parentEnd(number - 1);
    const filterAt = this.#filterEnd(number - 1);
    const parentEnd = parentAt + parents.length;
    const filterEnd = filterAt + changedPaths.length;
    this.#makeRoom(parentEnd, filterEnd);
    this.ids.write(id, number * this.idBytes, this.idBytes, "hex");
    this.trees.write(tree, number * this.idBytes, this.idBytes, "hex");
    for (const [at, parent] of parents.entries())
      this.parents.write(parent, (parentAt + at) * this.idBytes, this.idBytes, "hex");
    this.filters.set(changedPaths, filterAt);
    this.seconds[number] = seconds;
    this.generations[number] = generation;
    this.parentEnds[number] = parentEnd;
    this.filterEnds[number] = filterEnd;
    return number;
  }

  /** Takes the last commit away. */
  pop(): void {
    this.count -= 1;
  }

  /** Throws for a number that is not there. */
  at(number: number): GraphEntry {
    if (number < 0 || number >= this.count) throw new RangeError(`no commit ${number} of ${this.count}`);
    const parents: ObjectId[] = [];
    for (let parent = this.parentAt(number, 0); parent !== undefined; )
      parent = this.parentAt(number, parents.push(parent));
    return {
      id: this.#idIn(this.ids, number),
      tree: this.treeAt(number),
      parents,
      seconds: this.seconds[number] as number,
      generation: this.generations[number] as number,
      changedPaths: this.filters.subarray(this.#filterEnd(number - 1), this.#filterEnd(number)),
    };
  }

  treeAt(number: number): ObjectId {
    return this.#idIn(this.trees, number);
  }

  /** One of a commit's parents; undefined behind its last. */
  parentAt(number: number, which: number): ObjectId | undefined {
    const at = this.#parentEnd(number - 1) + which;
    return at < this.#parentEnd(number) ? this.#idIn(this.parents, at) : undefined;
  }

  #idIn(column: Buffer, at: number): ObjectId {
    return column.toString("hex", at * this.idBytes, (at + 1) * this.idBytes);
  }

  #parentEnd(number: number): number {
    return number < 0 ? 0 : (this.parentEnds[number] as number);
  }

  #filterEnd(number: number): number {
    return number < 0 ? 0 : (this.filterEnds[number] as number);
  }

  #makeRoom(parents: number, filterBytes: number): void {
    if (this.count > this.seconds.length) {
      const room = this.seconds.length * 2;
      this.seconds = moved(this.seconds, new Float64Array(room));
      this.generations = moved(this.generations, new Uint32Array(room));
      this.parentEnds = moved(this.parentEnds, new Uint32Array(room));
      this.filterEnds = moved(this.filterEnds, new Uint32Array(room));
      this.ids = moved(this.ids, Buffer.alloc(room * this.idBytes));
      this.trees = moved(this.trees, Buffer.alloc(room * this.idBytes));
    }
    const parentBytes = parents * this.idBytes;
    if (parentBytes > this.parents.length)
      this.parents = moved(this.parents, Buffer.alloc(Math.max(parentBytes, this.parents.length * 2)));
    if (filterBytes > this.filters.length)
      this.filters = moved(this.filters, Buffer.alloc(Math.max(filterBytes, this.filters.length * 2)));
  }
}

function moved<T extends Float64Array | Uint32Array | Buffer>(from: T, to: T): T {
  to.set(from);
  return to;
}
