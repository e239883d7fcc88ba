import { crc32, deflateSync } from "node:zlib";
import {
  hashBytes,
  hashObject,
  type ObjectFormat,
  type ObjectId,
  objectIdBytes,
} from "../format/object-format.ts";
import { type GitObject, typeCodes } from "../format/object-type.ts";
import { maxEntryHeaderBytes, writeEntryHeader } from "./entry-header.ts";
import { buildSideFile } from "./side-file.ts";
import { sortIds } from "./sort-ids.ts";

/** A pack in memory, with its side file. */
export interface CreatedPack {
  pack: Buffer;
  side: Buffer;
  /** In the order of the objects given, doubles included. */
  ids: ObjectId[];
  /** Distinct objects in the pack. */
  objectCount: number;
  /** Trailing checksum, hexadecimal. */
  packChecksum: string;
}

/** A pack of whole objects for commits that the server makes itself; doubles are written once. */
export function createPack(format: ObjectFormat, objects: readonly GitObject[]): CreatedPack {
  const binaryIds = objects.map(({ type, data }) => hashObject(format, type, data));
  const ids = binaryIds.map((id) => id.toString("hex"));
  const firsts = [...new Map(ids.map((id, number) => [id, number] as const).reverse()).values()].sort(
    (left, right) => left - right,
  );
  const header = Buffer.from("PACK\0\0\0\x02\0\0\0\0", "latin1");
  header.writeUInt32BE(firsts.length, 8);
  const entries = firsts.map((number) => wholeEntry(objects[number] as GitObject));
  const body = Buffer.concat([header, ...entries]);
  const packChecksum = hashBytes(format, body);
  const pack = Buffer.concat([body, packChecksum]);
  const side = sideOfWhole(format, {
    objects: firsts.map((number) => objects[number] as GitObject),
    ids: Buffer.concat(firsts.map((number) => binaryIds[number] as Buffer)),
    entries,
    packBytes: pack.length,
    packChecksum,
  });
  return { pack, side, ids, objectCount: firsts.length, packChecksum: packChecksum.toString("hex") };
}

/** A pack entry that holds an object whole. */
export function wholeEntry({ type, data }: GitObject): Buffer {
  const header = Buffer.alloc(maxEntryHeaderBytes);
  const end = writeEntryHeader(header, 0, typeCodes[type], data.length);
  return Buffer.concat([header.subarray(0, end), deflateSync(data)]);
}

interface WholePack {
  objects: GitObject[];
  ids: Buffer;
  entries: Buffer[];
  packBytes: number;
  packChecksum: Buffer;
}

function sideOfWhole(format: ObjectFormat, pack: WholePack): Buffer {
  const count = pack.entries.length;
  const offsets = new Float64Array(count);
  let offset = 12;
  for (const [number, entry] of pack.entries.entries()) {
    offsets[number] = offset;
    offset += entry.length;
  }
  return buildSideFile({
    format,
    count,
    ids: pack.ids,
    crcs: Uint32Array.from(pack.entries, (entry) => crc32(entry)),
    offsets,
    types: Uint8Array.from(pack.objects, ({ type }) => typeCodes[type]),
    sizes: Uint32Array.from(pack.objects, ({ data }) => data.length),
    bases: new Int32Array(count).fill(-1),
    byPosition: sortIds(pack.ids, objectIdBytes(format), count),
    appendedCount: 0,
    packBytes: pack.packBytes,
    packChecksum: pack.packChecksum,
  });
}
