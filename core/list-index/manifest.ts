import { crc32 } from "node:zlib";
import type { Forge } from "../forge.ts";
import { absent, equals } from "../table/condition.ts";
import { type Item, put, type Write } from "../table/write.ts";
import { manifestKey } from "./list-index.table.ts";

/** The manifest's summary of a segment. */
export interface SegmentSummary {
  /** The lowest id of the segment; the next segment or block ends it. */
  readonly first: number;
  /** 64 random bits, in hex: part of the keys of its items. */
  readonly id: string;
  /** The same of its texts, in indexes that have any. */
  readonly textId?: string;
  /** How many entries of each class it holds. */
  readonly counts: readonly [number, number, number, number];
  /** The newest update of its entries, in seconds. */
  readonly newest: number;
}

/** The segments of a list index, by first id. `generation` rises with each compaction: the condition of the next. */
export interface Manifest {
  /** 0: nothing was ever compacted. */
  readonly generation: number;
  readonly segments: readonly SegmentSummary[];
  /** Its item can't be read, so nothing is known of the segments. */
  readonly isDamaged?: boolean;
}

interface ManifestItem extends Item {
  /** The generation. */
  readonly g: number;
  /** The packed summaries. */
  readonly s: Uint8Array;
  readonly _v: 1;
}

const format = 1;
const headBytes = 6;
const withoutText = 24;
const withText = 32;

/** Packs summaries, 24 bytes each, 32 with texts: format, whether there are texts, checksum, summaries. */
function encodeSummaries(segments: readonly SegmentSummary[]): Buffer {
  const hasTexts = segments.some((segment) => segment.textId !== undefined);
  const size = hasTexts ? withText : withoutText;
  const bytes = Buffer.alloc(headBytes + size * segments.length);
  bytes[0] = format;
  bytes[1] = hasTexts ? 1 : 0;
  segments.forEach(({ first, id, textId = "", counts, newest }, place) => {
    let at = bytes.writeUInt32BE(first, headBytes + size * place);
    at += bytes.write(id, at, "hex");
    for (const count of counts) at = bytes.writeUInt16BE(count, at);
    at = bytes.writeUInt32BE(newest, at);
    bytes.write(textId, at, "hex");
  });
  bytes.writeUInt32BE(crc32(bytes.subarray(headBytes)), 2);
  return bytes;
}

/** Unpacks summaries; undefined when they are damaged or of an unknown format. */
function decodeSummaries(packed: Uint8Array): SegmentSummary[] | undefined {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  if (bytes.length < headBytes || bytes[0] !== format) return undefined;
  const size = bytes[1] === 1 ? withText : withoutText;
  const isWhole = (bytes.length - headBytes) % size === 0;
  if (!isWhole || bytes.readUInt32BE(2) !== crc32(bytes.subarray(headBytes))) return undefined;
  return Array.from({ length: (bytes.length - headBytes) / size }, (_, place) => {
    const at = headBytes + size * place;
    const count = (of: number) => bytes.readUInt16BE(at + 12 + 2 * of);
    return {
      first: bytes.readUInt32BE(at),
      id: bytes.toString("hex", at + 4, at + 12),
      counts: [count(0), count(1), count(2), count(3)],
      newest: bytes.readUInt32BE(at + 20),
      ...(size === withText ? { textId: bytes.toString("hex", at + 24, at + 32) } : {}),
    };
  });
}

/** Reads the manifest, strongly. */
export async function readManifest(
  { table }: Pick<Forge, "table">,
  { partition }: { readonly partition: string },
): Promise<Manifest> {
  return manifestFrom(await table.get(manifestKey(partition)));
}

/** The content of the manifest's item, or of its absence. */
export function manifestFrom(item: Item | undefined): Manifest {
  if (item === undefined) return { generation: 0, segments: [] };
  const segments = item.s instanceof Uint8Array ? decodeSummaries(item.s) : undefined;
  const generation = Number(item.g);
  return segments === undefined ? { generation, segments: [], isDamaged: true } : { generation, segments };
}

/** Names other segments, on the condition that the manifest is still the one that was read. */
export function manifestWrite(partition: string, read: Manifest, segments: readonly SegmentSummary[]): Write {
  const { generation } = read;
  const item: ManifestItem = {
    ...manifestKey(partition),
    g: generation + 1,
    s: encodeSummaries(segments),
    _v: 1,
  };
  return put(item, generation === 0 ? absent : equals({ g: generation }));
}
