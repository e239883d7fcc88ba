import { deflateSync } from "node:zlib";
import { hashBytes, hashObject, type ObjectFormat } from "#core/git/format/object-format";
import { type ObjectType, typeCodes } from "#core/git/format/object-type";
import { ofsDeltaCode, refDeltaCode, writeBaseDistance, writeEntryHeader } from "#core/git/pack/entry-header";

/** An entry to write as it is told, sound or not. */
export interface RawEntry {
  type?: ObjectType;
  data: Buffer;
  /** Number of the entry that this is an ofs-delta against. */
  ofs?: number;
  /** Binary id of the object that this is a ref-delta against. */
  ref?: Buffer;
  /** The size to announce when it is not the true one. */
  claimedSize?: number;
}

/** How a pack of so many entries begins. */
export function packHeader(entries: number): Buffer {
  const header = Buffer.from("PACK\0\0\0\x02\0\0\0\0", "latin1");
  header.writeUInt32BE(entries, 8);
  return header;
}

/** A pack of hand-made entries with a right checksum. */
export function rawPack(
  format: ObjectFormat,
  entries: readonly RawEntry[],
  announced = entries.length,
): Buffer {
  const header = packHeader(announced);
  const parts: Buffer[] = [header];
  const starts: number[] = [];
  let offset = header.length;
  for (const entry of entries) {
    starts.push(offset);
    const bytes = rawEntry(entry, entry.ofs === undefined ? 0 : offset - (starts[entry.ofs] ?? 0));
    parts.push(bytes);
    offset += bytes.length;
  }
  const body = Buffer.concat(parts);
  return Buffer.concat([body, hashBytes(format, body)]);
}

/** The bytes of an entry, so far behind the one that it is an ofs-delta against. */
export function rawEntry(entry: RawEntry, distance: number): Buffer {
  const head = Buffer.alloc(64);
  const size = entry.claimedSize ?? entry.data.length;
  const deflated = deflateSync(entry.data);
  if (entry.ofs !== undefined) {
    const end = writeBaseDistance(head, writeEntryHeader(head, 0, ofsDeltaCode, size), distance);
    return Buffer.concat([head.subarray(0, end), deflated]);
  }
  if (entry.ref !== undefined) {
    return Buffer.concat([
      head.subarray(0, writeEntryHeader(head, 0, refDeltaCode, size)),
      entry.ref,
      deflated,
    ]);
  }
  return Buffer.concat([
    head.subarray(0, writeEntryHeader(head, 0, typeCodes[entry.type ?? "blob"], size)),
    deflated,
  ]);
}

/** One step of a delta: bytes to insert, or a range of the base. */
export type DeltaStep = Buffer | { from: number; size: number };

const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))];

/** A delta with the sizes it is told to state. */
export function delta(baseSize: number, resultSize: number, steps: readonly DeltaStep[]): Buffer {
  const parts: Buffer[] = [Buffer.from([...varint(baseSize), ...varint(resultSize)])];
  for (const step of steps) {
    if (Buffer.isBuffer(step)) parts.push(Buffer.from([step.length]), step);
    else parts.push(copyStep(step));
  }
  return Buffer.concat(parts);
}

function copyStep({ from, size }: { from: number; size: number }): Buffer {
  const step = Buffer.alloc(8);
  step[0] = 0xff;
  step.writeUInt32LE(from, 1);
  step.writeUIntLE(size === 0x10000 ? 0 : size, 5, 3);
  return step;
}

/** Binary id of a blob. */
export const blobId = (format: ObjectFormat, data: Buffer): Buffer => hashObject(format, "blob", data);

/** Copies all of a base in steps of 64 KiB. */
export function copyAll(size: number): DeltaStep[] {
  const steps: DeltaStep[] = [];
  for (let from = 0; from < size; from += 65536) steps.push({ from, size: Math.min(65536, size - from) });
  return steps;
}
