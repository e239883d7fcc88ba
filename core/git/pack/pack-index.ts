import { hashBytes, type ObjectFormat, objectIdBytes } from "../format/object-format.ts";
import { compareIds } from "./sort-ids.ts";

const signature = 0xff744f63;
/** Where the sorted ids begin: signature, version and the 256-entry fan-out lie before them. */
const indexIdsOffset = 8 + 256 * 4;
const firstLargeOffset = 2 ** 31;

/** An index's facts about a pack's entries: columns in pack order, which may be longer than `count`. */
export interface IndexContent {
  format: ObjectFormat;
  count: number;
  /** Binary ids, end to end. */
  ids: Buffer;
  crcs: Uint32Array;
  offsets: Float64Array;
  /** The entries in the order of their ids. */
  byPosition: Uint32Array;
  packChecksum: Buffer;
}

/** How long the index of such a pack is. */
export function packIndexBytes({ format, count, offsets }: IndexContent): number {
  const idBytes = objectIdBytes(format);
  let large = 0;
  for (let entry = 0; entry < count; entry++) if ((offsets[entry] as number) >= firstLargeOffset) large++;
  return indexIdsOffset + count * (idBytes + 8) + large * 8 + idBytes * 2;
}

/** Writes a version 2 pack index (gitformat-pack), byte for byte as git does, into room of `packIndexBytes` zeros. */
export function writePackIndex(index: Buffer, content: IndexContent): void {
  const { ids, crcs, offsets, format, count, byPosition } = content;
  const idBytes = objectIdBytes(format);
  const crcAt = indexIdsOffset + count * idBytes;
  const offsetAt = crcAt + count * 4;
  const largeAt = offsetAt + count * 4;
  const trailerAt = index.length - idBytes * 2;
  index.writeUInt32BE(signature, 0);
  index.writeUInt32BE(2, 4);
  let largeCount = 0;
  for (let position = 0; position < count; position++) {
    const entry = byPosition[position] as number;
    const offset = offsets[entry] as number;
    ids.copy(index, indexIdsOffset + position * idBytes, entry * idBytes, (entry + 1) * idBytes);
    index.writeUInt32BE(crcs[entry] as number, crcAt + position * 4);
    if (offset < firstLargeOffset) {
      index.writeUInt32BE(offset, offsetAt + position * 4);
    } else {
      index.writeUInt32BE(firstLargeOffset + largeCount, offsetAt + position * 4);
      index.writeBigUInt64BE(BigInt(offset), largeAt + largeCount * 8);
      largeCount++;
    }
  }
  writeFanOut(index, index.subarray(indexIdsOffset, crcAt), idBytes, count);
  content.packChecksum.copy(index, trailerAt);
  hashBytes(format, index.subarray(0, trailerAt + idBytes)).copy(index, trailerAt + idBytes);
}

function writeFanOut(index: Buffer, sortedIds: Buffer, idBytes: number, count: number): void {
  let position = 0;
  for (let first = 0; first < 256; first++) {
    while (position < count && (sortedIds[position * idBytes] as number) <= first) position++;
    index.writeUInt32BE(position, 8 + first * 4);
  }
}

/** A version 2 index, read in place. Throws when the bytes are none, or contradict themselves. */
export class PackIndex {
  readonly format: ObjectFormat;
  readonly bytes: Buffer;
  readonly count: number;
  readonly idBytes: number;
  private readonly crcAtByte: number;
  private readonly offsetAtByte: number;
  private readonly largeAtByte: number;
  private readonly trailerAtByte: number;

  constructor(format: ObjectFormat, bytes: Buffer) {
    this.format = format;
    this.bytes = bytes;
    this.idBytes = objectIdBytes(format);
    if (bytes.length < indexIdsOffset + this.idBytes * 2) throw new Error("pack index: too short");
    if (bytes.readUInt32BE(0) !== signature || bytes.readUInt32BE(4) !== 2) {
      throw new Error("pack index: not a version 2 index");
    }
    this.count = bytes.readUInt32BE(8 + 255 * 4);
    this.crcAtByte = indexIdsOffset + this.count * this.idBytes;
    this.offsetAtByte = this.crcAtByte + this.count * 4;
    this.largeAtByte = this.offsetAtByte + this.count * 4;
    this.trailerAtByte = bytes.length - this.idBytes * 2;
    if (this.trailerAtByte < this.largeAtByte || (this.trailerAtByte - this.largeAtByte) % 8 !== 0) {
      throw new Error("pack index: its size does not fit its object count");
    }
    this.checkFanOut();
  }

  /** Searches trust the fan-out to stay within the ids: a bad one would send them on without end. */
  private checkFanOut(): void {
    for (let at = 8, before = 0; at < indexIdsOffset; at += 4) {
      const position = this.bytes.readUInt32BE(at);
      if (position < before) throw new Error("pack index: its fan-out does not ascend");
      before = position;
    }
  }

  /** Checksum of the pack this index belongs to. */
  get packChecksum(): Buffer {
    return this.bytes.subarray(this.trailerAtByte, this.trailerAtByte + this.idBytes);
  }

  /** Position of a binary id, or -1. */
  find(id: Uint8Array, idAt = 0): number {
    const { bytes, idBytes } = this;
    const first = id[idAt] as number;
    let low = first === 0 ? 0 : bytes.readUInt32BE(4 + first * 4);
    let high = bytes.readUInt32BE(8 + first * 4);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = compareIds(bytes, indexIdsOffset + middle * idBytes, id, idAt, idBytes);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return -1;
  }

  /** The first position whose id is not below `id`: where ids with a prefix begin. */
  lowerBound(id: Uint8Array): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareIds(this.bytes, indexIdsOffset + middle * this.idBytes, id, 0, this.idBytes) < 0) {
        low = middle + 1;
      } else high = middle;
    }
    return low;
  }

  /** The binary id at a position: a view, not a copy. */
  idAt(position: number): Buffer {
    const at = indexIdsOffset + position * this.idBytes;
    return this.bytes.subarray(at, at + this.idBytes);
  }

  /** CRC32 of the entry's bytes in the pack. */
  crcAt(position: number): number {
    return this.bytes.readUInt32BE(this.crcAtByte + position * 4);
  }

  /** The entry's start in the pack. */
  offsetAt(position: number): number {
    const offset = this.bytes.readUInt32BE(this.offsetAtByte + position * 4);
    if (offset < firstLargeOffset) return offset;
    return Number(this.bytes.readBigUInt64BE(this.largeAtByte + (offset - firstLargeOffset) * 8));
  }
}
