import { createHash } from "node:crypto";
import { allocLarge } from "../../../capacity/large-buffer.ts";
import { type ObjectFormat, type ObjectId, objectIdBytes } from "../../format/object-format.ts";
import type { Pace } from "../../pack/entry-builder.ts";
import { sortIds } from "../../pack/sort-ids.ts";
import type { CommitLinks } from "../commit-links.ts";
import type { GraphColumns } from "./graph-columns.ts";

/** A commit in the graph. */
export interface GraphCommit extends CommitLinks {
  /** Greater than that of every ancestor: 1 for a commit without parents. */
  readonly generation: number;
  /** A filter of the paths, folders included, that differ from its first parent (`mayHold`). */
  readonly changedPaths: Buffer;
}

/** A commit to write into a layer. */
export interface GraphEntry extends GraphCommit {
  readonly id: ObjectId;
}

/** Change it whenever filters or columns change: older layers are then made anew. */
const magic = Buffer.from("CFG2");
const headerBytes = 20;
const checksumBytes = 32;
const formats: readonly ObjectFormat[] = ["sha1", "sha256"];

const neverPause: Pace = () => undefined;

/** A layer's bytes end with their own SHA-256, by which damage shows. */
const checksumOf = (bytes: Buffer): Buffer => createHash("sha256").update(bytes).digest();

/**
 * A layer as it is stored, commits by id: ids, trees, dates (doubles), generations, and where each one's parents and
 * filter end; then parents (ids) and filters. Numbers are little-endian. `pace`, which lets others run, is called with
 * numbers of steps.
 */
export async function encodeGraphLayer(commits: GraphColumns, pace: Pace = neverPause): Promise<Buffer> {
  const { count, idBytes } = commits;
  const order = sortIds(commits.ids, idBytes, count);
  const lengths = (ends: Uint32Array) => (number: number) =>
    (ends[number] as number) - (number === 0 ? 0 : (ends[number - 1] as number));
  const [parentsOf, filterOf] = [lengths(commits.parentEnds), lengths(commits.filterEnds)];
  const parentCount = count === 0 ? 0 : (commits.parentEnds[count - 1] as number);
  const filterBytes = count === 0 ? 0 : (commits.filterEnds[count - 1] as number);
  const at = columnsOf(count, parentCount, idBytes);
  const bytes = allocLarge(at.filters + filterBytes + checksumBytes);
  magic.copy(bytes);
  bytes.writeUInt32LE(formats.indexOf(commits.format), 4);
  bytes.writeUInt32LE(count, 8);
  bytes.writeUInt32LE(parentCount, 12);
  bytes.writeUInt32LE(filterBytes, 16);
  let [parentEnd, filterEnd] = [0, 0];
  for (const [place, number] of order.entries()) {
    const copy = (source: Buffer, from: number, to: number, length: number) =>
      void source.copy(bytes, to, from, from + length);
    copy(commits.ids, number * idBytes, headerBytes + place * idBytes, idBytes);
    copy(commits.trees, number * idBytes, at.trees + place * idBytes, idBytes);
    bytes.writeDoubleLE(commits.seconds[number] as number, at.seconds + place * 8);
    bytes.writeUInt32LE(commits.generations[number] as number, at.generations + place * 4);
    const [parents, filter] = [parentsOf(number), filterOf(number)];
    const firstParent = (commits.parentEnds[number] as number) - parents;
    copy(commits.parents, firstParent * idBytes, at.parents + parentEnd * idBytes, parents * idBytes);
    copy(commits.filters, (commits.filterEnds[number] as number) - filter, at.filters + filterEnd, filter);
    parentEnd += parents;
    filterEnd += filter;
    bytes.writeUInt32LE(parentEnd, at.parentEnds + place * 4);
    bytes.writeUInt32LE(filterEnd, at.filterEnds + place * 4);
    const pause = pace(1 + (parents >> 3));
    if (pause !== undefined) await pause;
  }
  checksumOf(bytes.subarray(0, -checksumBytes)).copy(bytes, bytes.length - checksumBytes);
  return bytes;
}

/** Bytes that are no layer, or not the ones that were written. */
export class DamagedLayer extends Error {
  constructor(reason: string) {
    super(`damaged layer of a commit graph: ${reason}`);
    this.name = "DamagedLayer";
  }
}

/** A part of a commit graph: facts of some commits, by id. */
export class GraphLayer {
  readonly format: ObjectFormat;
  readonly count: number;
  /** Of all commits together. */
  readonly parentCount: number;
  readonly #bytes: Buffer;
  readonly #idBytes: number;
  /** The starts of the columns. */
  readonly #at: Readonly<Record<Column, number>>;

  /** Throws DamagedLayer. */
  constructor(bytes: Buffer) {
    const content = bytes.subarray(0, Math.max(0, bytes.length - checksumBytes));
    if (content.length < headerBytes || !content.subarray(0, 4).equals(magic))
      throw new DamagedLayer("it is no layer");
    if (!checksumOf(content).equals(bytes.subarray(content.length)))
      throw new DamagedLayer("its checksum does not hold");
    const format = formats[content.readUInt32LE(4)];
    if (format === undefined) throw new DamagedLayer("its format is unknown");
    this.format = format;
    this.count = content.readUInt32LE(8);
    this.#bytes = content;
    this.#idBytes = objectIdBytes(format);
    this.parentCount = content.readUInt32LE(12);
    this.#at = columnsOf(this.count, this.parentCount, this.#idBytes);
    if (this.#at.filters + content.readUInt32LE(16) !== content.length)
      throw new DamagedLayer("its parts don't fit");
  }

  get byteLength(): number {
    return this.#bytes.length;
  }

  find(id: ObjectId): GraphCommit | undefined {
    const bytes = Buffer.from(id, "hex");
    const position = bytes.length === this.#idBytes ? this.positionAt(bytes, 0) : -1;
    return position < 0 ? undefined : this.#commitAt(position);
  }

  /** The place, by id, of the commit whose id lies in `source` at `from`; -1 when it is not in this layer. */
  positionAt(source: Buffer, from: number): number {
    const first = source.readUInt32BE(from);
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const start = headerBytes + middle * this.#idBytes;
      const prefix = this.#bytes.readUInt32BE(start);
      const order =
        first - prefix ||
        source.compare(this.#bytes, start, start + this.#idBytes, from, from + this.#idBytes);
      if (order === 0) return middle;
      if (order < 0) high = middle;
      else low = middle + 1;
    }
    return -1;
  }

  #commitAt(position: number): GraphCommit {
    const bytes = this.#bytes;
    const at = this.#at;
    const end = (column: number, place: number) => (place < 0 ? 0 : bytes.readUInt32LE(column + place * 4));
    const parents: ObjectId[] = [];
    const lastParent = end(at.parentEnds, position);
    for (let parent = end(at.parentEnds, position - 1); parent < lastParent; parent++) {
      parents.push(this.#idAt(at.parents, parent));
    }
    return {
      tree: this.#idAt(at.trees, position),
      parents,
      seconds: bytes.readDoubleLE(at.seconds + position * 8),
      generation: bytes.readUInt32LE(at.generations + position * 4),
      changedPaths: bytes.subarray(
        at.filters + end(at.filterEnds, position - 1),
        at.filters + end(at.filterEnds, position),
      ),
    };
  }

  /** Shows the places of the ids of a commit's first parents. */
  eachParent(position: number, see: (source: Buffer, from: number) => void, most: number): void {
    const { parentEnds, parents } = this.#at;
    const first = position === 0 ? 0 : this.#bytes.readUInt32LE(parentEnds + (position - 1) * 4);
    const end = Math.min(first + most, this.#bytes.readUInt32LE(parentEnds + position * 4));
    for (let at = first; at < end; at++) see(this.#bytes, parents + at * this.#idBytes);
  }

  #idAt(column: number, place: number): ObjectId {
    const start = column + place * this.#idBytes;
    return this.#bytes.toString("hex", start, start + this.#idBytes);
  }

  /** Every commit, by id. */
  *entries(): Generator<GraphEntry> {
    for (let position = 0; position < this.count; position++) {
      yield { id: this.#idAt(headerBytes, position), ...this.#commitAt(position) };
    }
  }
}

type Column = "trees" | "seconds" | "generations" | "parentEnds" | "filterEnds" | "parents" | "filters";

function columnsOf(count: number, parentCount: number, idBytes: number): Record<Column, number> {
  const trees = headerBytes + count * idBytes;
  const seconds = trees + count * idBytes;
  const generations = seconds + count * 8;
  const parentEnds = generations + count * 4;
  const filterEnds = parentEnds + count * 4;
  const parents = filterEnds + count * 4;
  return {
    ...{ trees, seconds, generations, parentEnds, filterEnds, parents },
    filters: parents + parentCount * idBytes,
  };
}
