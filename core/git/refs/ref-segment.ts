import { crc32 } from "node:zlib";
import { type ObjectFormat, objectIdBytes } from "../format/object-format.ts";
import { ByteReader, ByteWriter } from "./byte-writer.ts";
import { readChange, writeChange } from "./ref-log.ts";
import type { RefEntry } from "./ref-table.ts";

const formatByte = 1;
const headBytes = 5;

/** The most refs and bytes of a segment: larger ones are halved, down to one ref. */
export const longestSegment = { refs: 256, bytes: 100_000 };

/** Packs refs, sorted by name: format, checksum, object format, count, refs with their pusher and time. */
export function encodeRefSegment(format: ObjectFormat, entries: readonly RefEntry[]): Buffer {
  const body = new ByteWriter(64 + 160 * entries.length);
  body.u8(format === "sha1" ? 1 : 2).u16(entries.length);
  for (const { name, id, peeled, record, pusherId, updatedMs } of entries) {
    writeChange(body, { name, new: id, ...(peeled && { peeled }), ...(record && { record }) });
    body.f64(pusherId).f64(updatedMs);
  }
  const bytes = body.finish();
  return Buffer.concat([new ByteWriter(headBytes).u8(formatByte).u32(crc32(bytes)).finish(), bytes]);
}

/** Reads a segment back. Throws when it is damaged or of a newer format. */
export function decodeRefSegment(packed: Uint8Array): RefEntry[] {
  const head = new ByteReader(packed.subarray(0, headBytes));
  const format = head.u8();
  if (format !== formatByte) throw new Error(`ref segment of unknown format ${format}`);
  const body = packed.subarray(headBytes);
  if (head.u32() !== crc32(body)) throw new Error("ref segment whose checksum does not hold");
  const reader = new ByteReader(body);
  const bytesOfId = objectIdBytes(reader.u8() === 1 ? "sha1" : "sha256");
  return Array.from({ length: reader.u16() }, (): RefEntry => {
    const { name, new: id = "", peeled, record } = readChange(reader, bytesOfId);
    const optional = { ...(peeled && { peeled }), ...(record && { record }) };
    return { name, id, ...optional, pusherId: reader.f64(), updatedMs: reader.f64() };
  });
}

/** Entries in pieces that each fit a segment, with their bytes. */
export function splitIntoSegments(
  format: ObjectFormat,
  entries: readonly RefEntry[],
): { entries: readonly RefEntry[]; bytes: Buffer }[] {
  if (entries.length === 0) return [];
  if (entries.length <= longestSegment.refs) {
    const bytes = encodeRefSegment(format, entries);
    if (bytes.length <= longestSegment.bytes || entries.length === 1) return [{ entries, bytes }];
  }
  const middle = Math.ceil(entries.length / 2);
  return [
    ...splitIntoSegments(format, entries.slice(0, middle)),
    ...splitIntoSegments(format, entries.slice(middle)),
  ];
}
