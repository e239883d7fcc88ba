import { allocLarge } from "../../capacity/large-buffer.ts";
import { hashBytes, type ObjectFormat, objectIdBytes } from "../format/object-format.ts";
import { type IndexContent, PackIndex, packIndexBytes, writePackIndex } from "./pack-index.ts";

/*
 * Layout, version 1, numbers little-endian outside the index:
 *   0  "CFPS", version u8, format u8 (1 sha1, 2 sha256), u16 zero
 *   8  object count u32, appended count u32, pack bytes f64, index bytes u32, u32 zero
 *  32  git's version 2 index, verbatim, padded to 8 bytes
 *      types u8[count], padded to 8 bytes
 *      delta base positions u32[count], inflated sizes u32[count], positions in pack order u32[count]
 *      hash of everything before
 */
const magic = "CFPS";
const version = 1;
const headerBytes = 32;
const noBase = 0xffffffff;
const appendedFlag = 0x80;
const padded = (bytes: number): number => Math.ceil(bytes / 8) * 8;

/** The facts about a pack's entries: columns in pack order, which may be longer than `count`. */
export interface SideContent extends IndexContent {
  /** Kind of each object after its deltas, as in `typeCodes`. */
  types: Uint8Array;
  /** Inflated sizes. */
  sizes: Uint32Array;
  /** The entry of the delta base in this pack; -1 for whole objects. */
  bases: Int32Array;
  /** How many of the last entries were appended to complete a thin pack. */
  appendedCount: number;
  packBytes: number;
}

/**
 * The bytes of a side file. Every part is written in its final place: for a large pack they take 40 MB per million
 * objects.
 */
export function buildSideFile(content: SideContent): Buffer {
  const { format, count, appendedCount, byPosition } = content;
  const indexBytes = packIndexBytes(content);
  const layout = layoutOf(format, count, indexBytes);
  const file = allocLarge(layout.total);
  file.write(magic, 0, "latin1");
  file.writeUInt8(version, 4);
  file.writeUInt8(format === "sha1" ? 1 : 2, 5);
  file.writeUInt32LE(count, 8);
  file.writeUInt32LE(appendedCount, 12);
  file.writeDoubleLE(content.packBytes, 16);
  file.writeUInt32LE(indexBytes, 24);
  writePackIndex(file.subarray(headerBytes, headerBytes + indexBytes), content);
  const { types, bases, sizes, order } = columnsOf(file, layout, count);
  for (let position = 0; position < count; position++) order[byPosition[position] as number] = position;
  for (let position = 0; position < count; position++) {
    const entry = byPosition[position] as number;
    const base = content.bases[entry] as number;
    types[position] = (content.types[entry] as number) | (entry < count - appendedCount ? 0 : appendedFlag);
    bases[position] = base < 0 ? noBase : (order[base] as number);
    sizes[position] = content.sizes[entry] as number;
  }
  hashBytes(format, file.subarray(0, layout.checksumAt)).copy(file, layout.checksumAt);
  return file;
}

type Layout = ReturnType<typeof layoutOf>;

function layoutOf(format: ObjectFormat, count: number, indexBytes: number) {
  const typesAt = headerBytes + padded(indexBytes);
  const basesAt = typesAt + padded(count);
  const sizesAt = basesAt + count * 4;
  const orderAt = sizesAt + count * 4;
  const checksumAt = orderAt + count * 4;
  return { typesAt, basesAt, sizesAt, orderAt, checksumAt, total: checksumAt + objectIdBytes(format) };
}

/** The arrays in a side file's bytes, by position; `order` holds positions by offset in the pack. */
function columnsOf(file: Buffer, { typesAt, basesAt, sizesAt, orderAt }: Layout, count: number) {
  const words = (at: number) => new Uint32Array(file.buffer, file.byteOffset + at, count);
  return {
    types: file.subarray(typesAt, typesAt + count),
    bases: words(basesAt),
    sizes: words(sizesAt),
    order: words(orderAt),
  };
}

/** Throws when the bytes are damaged or of an unknown version. */
export class SideFile {
  readonly format: ObjectFormat;
  readonly index: PackIndex;
  readonly count: number;
  readonly appendedCount: number;
  readonly packBytes: number;
  /** Memory held, in bytes. */
  readonly byteLength: number;
  /** Positions by offset in the pack. */
  readonly order: Uint32Array;
  private readonly types: Uint8Array;
  private readonly bases: Uint32Array;
  private readonly sizes: Uint32Array;
  private ranks: Uint32Array | undefined;

  /** The entry's start in the pack. */
  constructor(source: Uint8Array) {
    const file = source.byteOffset % 8 === 0 ? asBuffer(source) : alignedCopy(source);
    if (file.length < headerBytes || file.toString("latin1", 0, 4) !== magic) {
      throw new Error("side file: not one");
    }
    if (file[4] !== version) throw new Error(`side file: unknown version ${file[4]}`);
    this.format = file[5] === 2 ? "sha256" : "sha1";
    this.count = file.readUInt32LE(8);
    this.appendedCount = file.readUInt32LE(12);
    this.packBytes = file.readDoubleLE(16);
    this.byteLength = file.length + this.count * 4;
    const indexBytes = file.readUInt32LE(24);
    const layout = layoutOf(this.format, this.count, indexBytes);
    if (file.length !== layout.total) throw new Error("side file: its size does not fit its object count");
    const expected = hashBytes(this.format, file.subarray(0, layout.checksumAt));
    if (!expected.equals(file.subarray(layout.checksumAt))) throw new Error("side file: checksum differs");
    this.index = new PackIndex(this.format, file.subarray(headerBytes, headerBytes + indexBytes));
    const { types, bases, sizes, order } = columnsOf(file, layout, this.count);
    this.types = types;
    this.bases = bases;
    this.sizes = sizes;
    this.order = order;
  }

  /** Position of a binary id, or -1. */
  find(id: Uint8Array, idAt = 0): number {
    return this.index.find(id, idAt);
  }

  /** The binary id at a position: a view, not a copy. */
  idAt(position: number): Buffer {
    return this.index.idAt(position);
  }

  /** The entry's end in the pack. */
  offsetAt(position: number): number {
    return this.index.offsetAt(position);
  }

  /** The entry's end in the pack. */
  endAt(position: number): number {
    const next = this.rankOf(position) + 1;
    if (next < this.count) return this.index.offsetAt(this.order[next] as number);
    return this.packBytes - this.index.idBytes;
  }

  /** Number of entries before this one in the pack. */
  rankOf(position: number): number {
    this.ranks ??= inverse(this.order);
    return this.ranks[position] as number;
  }

  /** Rank of the first entry at or after an offset of the pack; `count` past the last. */
  rankFrom(offset: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.offsetAt(this.order[middle] as number) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The object's kind, as in `typeCodes`. */
  typeCodeAt(position: number): number {
    return (this.types[position] as number) & 7;
  }

  /** True for a base that was appended to complete a thin pack: a copy of an object in an older pack. */
  isAppendedAt(position: number): boolean {
    return (this.types[position] as number) >= appendedFlag;
  }

  /** The object's inflated size. */
  sizeAt(position: number): number {
    return this.sizes[position] as number;
  }

  /** Position of the delta base, or -1 for a whole object. */
  baseAt(position: number): number {
    const base = this.bases[position] as number;
    return base === noBase ? -1 : base;
  }
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function alignedCopy(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

function inverse(order: Uint32Array): Uint32Array {
  const ranks = new Uint32Array(order.length);
  for (let rank = 0; rank < order.length; rank++) ranks[order[rank] as number] = rank;
  return ranks;
}
