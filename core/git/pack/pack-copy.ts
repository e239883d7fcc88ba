import { promisify } from "node:util";
import { deflate } from "node:zlib";
import { type GitObject, typeCodes } from "../format/object-type.ts";
import {
  emptyEntryHeader,
  maxEntryHeaderBytes,
  ofsDeltaCode,
  readEntryHeader,
  refDeltaCode,
  writeBaseDistance,
  writeEntryHeader,
} from "./entry-header.ts";
import type { PackRange } from "./held-block.ts";
import type { PackOutput } from "./pack-output.ts";
import type { PackReader } from "./pack-reader.ts";
import type { PackSelection } from "./pack-selection.ts";
import { type PackSet, type Place, packOfPlace, placeOf, positionOfPlace } from "./pack-set.ts";
import { RangeCursor } from "./range-cursor.ts";

/** The shared state of the copies for one outgoing pack. */
export interface PackWriteContext {
  packSet: PackSet;
  thinBases?: { has(place: Place): boolean };
  useOfsDelta: boolean;
  output: PackOutput;
  /** By pack; only those begun. */
  copies: Map<number, PackCopy>;
}

/** How a delta names its base to the client: by distance, by id, or not at all, so that the object is sent whole. */
type BaseWay = { distance: number } | { id: Buffer } | undefined;

const deflated = promisify(deflate);
/** Bytes copied before the pieces made are handed on. */
const runBytes = 2 ** 20;

/** Copies the selected entries of one pack, in its order. */
export class PackCopy {
  private readonly context: PackWriteContext;
  private readonly pack: PackReader;
  private readonly packNumber: number;
  /** Ranks of the selected entries, rising; undefined for all. */
  private readonly ranks: Uint32Array | undefined;
  /** The starts of entries in the output, by rank; 0 for entries not written (yet). */
  private readonly written: Float64Array;
  private readonly isSelected: Uint8Array;
  private readonly cursor: RangeCursor;
  private readonly header = emptyEntryHeader();

  constructor(context: PackWriteContext, selection: PackSelection) {
    this.context = context;
    this.packNumber = selection.pack;
    this.pack = context.packSet.packs[selection.pack] as PackReader;
    const { side } = this.pack;
    const { positions } = selection;
    this.ranks = positions === "all" ? undefined : positions.map((position) => side.rankOf(position)).sort();
    this.written = new Float64Array(side.count);
    this.isSelected = new Uint8Array(side.count).fill(this.ranks === undefined ? 1 : 0);
    for (const rank of this.ranks ?? []) this.isSelected[rank] = 1;
    this.cursor = new RangeCursor(this.pack.blocks, this.ranges());
  }

  private *ranges(): Generator<PackRange> {
    const { side } = this.pack;
    if (this.ranks === undefined) {
      yield { start: side.offsetAt(side.order[0] as number), end: side.packBytes - side.index.idBytes };
      return;
    }
    for (const rank of this.ranks) yield this.pack.rangeOf(side.order[rank] as number);
  }

  /** The pieces of the output that got complete meanwhile. */
  async *run(): AsyncGenerator<Uint8Array> {
    const { output } = this.context;
    const { side } = this.pack;
    const count = this.ranks?.length ?? side.count;
    let run: PackRange = { start: 0, end: 0 };
    try {
      for (let i = 0; i < count; i++) {
        const rank = this.ranks === undefined ? i : (this.ranks[i] as number);
        const position = side.order[rank] as number;
        const range = this.pack.rangeOf(position);
        const at = output.offset + run.end - run.start;
        const isVerbatim = this.isVerbatim(position, at - range.start);
        this.written[rank] = at;
        if (isVerbatim && run.end === range.start && run.end - run.start < runBytes) {
          run.end = range.end;
          continue;
        }
        yield* this.copyRange(run);
        run = isVerbatim ? range : { start: 0, end: 0 };
        if (!isVerbatim) yield* this.rewrite(position, range);
      }
      yield* this.copyRange(run);
    } finally {
      await this.cursor.close();
    }
  }

  /** Whether the entry's stored bytes fit into the output, `shift` bytes from their place. */
  private isVerbatim(position: number, shift: number): boolean {
    const base = this.pack.side.baseAt(position);
    if (base < 0) return true;
    const rank = this.pack.side.rankOf(base);
    if (!this.context.useOfsDelta || this.isSelected[rank] === 0) return false;
    const writtenAt = this.written[rank] as number;
    // A base that comes later can only have been named by id.
    return writtenAt === 0 || writtenAt - this.pack.side.offsetAt(base) === shift;
  }

  private async *copyRange({ start, end }: PackRange): AsyncGenerator<Uint8Array> {
    const { output } = this.context;
    for (let at = start; at < end; ) {
      const piece = await this.cursor.some(at, end);
      output.write(piece);
      at += piece.length;
      yield* output.take();
    }
  }

  /** Writes an entry under a new header: its base moved, has another name, or is not sent. */
  private async *rewrite(position: number, range: PackRange): AsyncGenerator<Uint8Array> {
    const { output } = this.context;
    const head = await this.cursor.peek(range.start, Math.min(range.end, range.start + maxEntryHeaderBytes));
    const outcome = readEntryHeader(this.header, head, 0, head.length, this.pack.side.index.idBytes);
    if (outcome !== "ok") throw new Error(`pack ${this.pack.entry.id} is damaged at offset ${range.start}`);
    const way = this.wayToBase(position, this.header.code);
    if (way === undefined) {
      await this.writeWhole(position);
      return;
    }
    const { dataAt, size } = this.header;
    output.write(deltaHeader(way, size));
    yield* this.copyRange({ start: range.start + dataAt, end: range.end });
  }

  private wayToBase(position: number, code: number): BaseWay {
    const { side } = this.pack;
    const base = side.baseAt(position);
    const own = this.wayTo(placeOf(this.packNumber, base));
    if (own !== undefined) return own;
    const id = side.idAt(base);
    // It comes later in this pack: only a ref-delta may say so.
    if (this.isSelected[side.rankOf(base)] === 1 && code === refDeltaCode) return { id };
    const other = this.context.packSet.find(id);
    if (other === undefined) return undefined;
    const way = this.wayTo(other);
    if (way !== undefined) return way;
    return this.context.thinBases?.has(other) === true ? { id } : undefined;
  }

  /** How to name an object that has been written already. */
  private wayTo(place: Place): BaseWay {
    const { copies, useOfsDelta, output, packSet } = this.context;
    const writtenAt = copies.get(packOfPlace(place))?.writtenAt(positionOfPlace(place)) ?? 0;
    if (writtenAt === 0) return undefined;
    return useOfsDelta ? { distance: output.offset - writtenAt } : { id: packSet.binaryIdOf(place) };
  }

  private writtenAt(position: number): number {
    return this.written[this.pack.side.rankOf(position)] as number;
  }

  private async writeWhole(position: number): Promise<void> {
    const { packSet, output } = this.context;
    const object: GitObject = await packSet.read(placeOf(this.packNumber, position));
    const header = Buffer.alloc(maxEntryHeaderBytes);
    output.write(header.subarray(0, writeEntryHeader(header, 0, typeCodes[object.type], object.data.length)));
    output.write(await deflated(object.data));
  }
}

function deltaHeader(way: NonNullable<BaseWay>, size: number): Buffer {
  const header = Buffer.alloc(maxEntryHeaderBytes);
  if ("distance" in way) {
    return header.subarray(
      0,
      writeBaseDistance(header, writeEntryHeader(header, 0, ofsDeltaCode, size), way.distance),
    );
  }
  const end = writeEntryHeader(header, 0, refDeltaCode, size);
  return header.subarray(0, end + way.id.copy(header, end));
}
