import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { crc32, createDeflate } from "node:zlib";
import type { ObjectId } from "../../format/object-format.ts";
import { type GitObject, typeCodes } from "../../format/object-type.ts";
import { wholeEntry } from "../../pack/create-pack.ts";
import { maxEntryHeaderBytes, writeEntryHeader } from "../../pack/entry-header.ts";
import { orAborted } from "../aborted.ts";
import type { DeltaResolver } from "../deltas/resolve-deltas.ts";
import { IngestError } from "../ingest-error.ts";
import { hashRoom, type IngestState } from "../ingest-state.ts";
import type { FiledObject } from "../ingest-types.ts";

/** How many bases are asked for at a time. Their owner decides, by their size, how many come at once. */
const basesPerBatch = 512;

/** Appends bases that the repository has, for the deltas that wait for `missing`, and resolves those deltas. */
export async function appendBases(
  state: IngestState,
  resolver: DeltaResolver,
  missing: readonly Buffer[],
): Promise<void> {
  // An earlier base of this push may have brought this one into the pack.
  const isOpen = (id: Buffer) => state.refDeltas.isOpen(id, state.table);
  for (let next = 0; next < missing.length; ) {
    const wanted = missing
      .slice(next, next + basesPerBatch)
      .map((id) => (isOpen(id) ? id.toString("hex") : ""));
    const ids = wanted.filter((id) => id !== "");
    const found =
      ids.length === 0 ? undefined : await orAborted(state.options.findBases?.(ids), state.options.signal);
    if (ids[0] !== undefined && found?.has(ids[0]) !== true) throw missingBase(ids[0]);
    for (const id of wanted) {
      const base = found?.get(id);
      if (id !== "" && base === undefined) break;
      next++;
      if (base !== undefined) await appendBase(state, resolver, id, base);
    }
  }
}

const missingBase = (id: ObjectId): IngestError =>
  new IngestError("missing-base", `the pack needs object ${id}, which is not in this repository`, { id });

async function appendBase(
  state: IngestState,
  resolver: DeltaResolver,
  id: ObjectId,
  base: GitObject | FiledObject,
): Promise<void> {
  if (!state.refDeltas.isOpen(Buffer.from(id, "hex"), state.table)) return;
  const entry = "path" in base ? await appendFile(state, base) : appendObject(state, base);
  if (state.table.hexId(entry) !== id) throw new Error(`the repository gave other bytes for object ${id}`);
  await resolver.resolveFrom(entry);
}

const header = Buffer.alloc(maxEntryHeaderBytes);

/** Notes an entry that is about to be written at the end. */
function addEntry(state: IngestState, typeCode: number, size: number): number {
  const { table } = state;
  state.spend(size);
  const entry = table.add();
  table.offsets[entry] = state.entriesEnd;
  table.codes[entry] = typeCode;
  table.headerBytes[entry] = writeEntryHeader(header, 0, typeCode, size);
  table.entrySizes[entry] = size;
  table.sizes[entry] = size;
  return entry;
}

function appendObject(state: IngestState, object: GitObject): number {
  const { length } = object.data;
  const entry = addEntry(state, typeCodes[object.type], length);
  const bytes = wholeEntry(object);
  state.table.crcs[entry] = crc32(bytes);
  state.spool.append(bytes);
  state.entriesEnd += bytes.length;
  const room = Buffer.allocUnsafe(hashRoom + length);
  object.data.copy(room, hashRoom);
  state.nameObject(entry, typeCodes[object.type], room, hashRoom, length);
  return entry;
}

/** The same for content too large for memory: it passes in pieces. */
async function appendFile(state: IngestState, { type, path }: FiledObject): Promise<number> {
  const { size } = await stat(path);
  const entry = addEntry(state, typeCodes[type], size);
  const head = Buffer.from(header.subarray(0, state.table.headerBytes[entry]));
  const hash = createHash(state.format).update(`${type} ${size}\0`);
  let crc = 0;
  const write = (bytes: Uint8Array) => {
    crc = crc32(bytes, crc);
    state.spool.append(bytes);
    state.entriesEnd += bytes.length;
  };
  write(head);
  const hashed = async function* (pieces: AsyncIterable<Buffer>) {
    for await (const piece of pieces) {
      state.throwIfAborted();
      hash.update(piece);
      yield piece;
    }
  };
  const written = async (pieces: AsyncIterable<Buffer>) => {
    for await (const piece of pieces) write(piece);
  };
  await pipeline(createReadStream(path), hashed, createDeflate(), written);
  state.table.crcs[entry] = crc;
  state.setId(entry, typeCodes[type], hash.digest());
  return entry;
}
