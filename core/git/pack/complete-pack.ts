import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { type ObjectFormat, objectIdBytes } from "../object/object-format.ts";
import { type GitObject, typeCodes } from "../object/object-type.ts";
import { wholeEntry } from "./create-pack.ts";
import { maxEntryHeaderBytes, writeEntryHeader } from "./entry-header.ts";
import { IngestError } from "./ingest-error.ts";
import { hashRoom, type IngestState } from "./ingest-state.ts";
import type { PackInput } from "./pack-input.ts";
import type { DeltaResolver } from "./resolve-deltas.ts";

/** How many bases are asked for, and held, at a time. */
const basesPerBatch = 128;
const rehashBytes = 2 ** 20;

/** Reads the trailing checksum and the end of the stream. Returns the checksum. */
export async function readTrailer(input: PackInput, state: IngestState): Promise<Buffer> {
  state.entriesEnd = input.offset;
  while (!input.isEnded && !input.isFull) await input.fill();
  const rest = input.bytes.subarray(input.start, input.end);
  const expected = input.checksum();
  if (rest.length >= state.idBytes && expected.equals(rest.subarray(0, state.idBytes))) {
    if (rest.length > state.idBytes) {
      throw new IngestError("trailing-bytes", "there are bytes behind the end of the pack");
    }
    return expected;
  }
  const other: ObjectFormat = state.format === "sha1" ? "sha256" : "sha1";
  if (rest.length === objectIdBytes(other) && checksumOf(state, other, state.entriesEnd).equals(rest)) {
    throw new IngestError("wrong-object-format", `the pack is ${other}; this repository is ${state.format}`);
  }
  if (rest.length < state.idBytes) throw new IngestError("truncated", "the pack ends too early");
  throw new IngestError("checksum-mismatch", "the pack's checksum does not fit its content");
}

function checksumOf(state: IngestState, format: ObjectFormat, end: number): Buffer {
  const hash = createHash(format);
  const piece = Buffer.allocUnsafeSlow(rehashBytes);
  for (let at = 0; at < end; at += rehashBytes) {
    const length = Math.min(rehashBytes, end - at);
    state.spool.readInto(piece, 0, at, length);
    hash.update(piece.subarray(0, length));
  }
  return hash.digest();
}

/**
 * Completes a thin pack: appends the bases that the repository has for deltas whose base is not in the pack, resolves
 * those deltas, and fixes header and trailer. Returns how many were appended, and the pack's checksum.
 */
export async function completePack(
  state: IngestState,
  resolver: DeltaResolver,
  checksum: Buffer,
): Promise<{ appendedCount: number; checksum: Buffer }> {
  const sent = state.table.count;
  const missing = state.refDeltas.openBaseIds((entry) => state.table.types[entry] === 0);
  if (missing.length > 0) state.spool.truncate(state.entriesEnd);
  for (let first = 0; first < missing.length; first += basesPerBatch) {
    await appendBases(state, resolver, missing.slice(first, first + basesPerBatch));
  }
  requireResolved(state);
  const appendedCount = state.table.count - sent;
  if (appendedCount === 0) {
    if (missing.length > 0) state.spool.append(checksum);
    return { appendedCount, checksum };
  }
  const count = Buffer.alloc(4);
  count.writeUInt32BE(state.table.count);
  state.spool.writeAt(count, 8);
  const fixed = checksumOf(state, state.format, state.entriesEnd);
  state.spool.append(fixed);
  return { appendedCount, checksum: fixed };
}

async function appendBases(state: IngestState, resolver: DeltaResolver, wanted: Buffer[]): Promise<void> {
  const ids = wanted.map((id) => id.toString("hex"));
  const found = (await state.options.findBases?.(ids)) ?? new Map<string, GitObject>();
  state.throwIfAborted();
  for (const [number, id] of ids.entries()) {
    // An earlier base of this wave may have brought this one into the pack.
    if (!state.refDeltas.isOpen(wanted[number] as Buffer, state.table)) continue;
    const base = found.get(id);
    if (base === undefined) {
      throw new IngestError("missing-base", `the pack needs object ${id}, which is not in this repository`, {
        id,
      });
    }
    const entry = appendObject(state, base);
    if (state.table.hexId(entry) !== id) throw new Error(`the repository gave other bytes for object ${id}`);
    await resolver.resolveFrom(entry);
  }
}

const scratch = Buffer.alloc(maxEntryHeaderBytes);

function appendObject(state: IngestState, object: GitObject): number {
  const { table, spool } = state;
  state.spend(object.data.length);
  const bytes = wholeEntry(object);
  const entry = table.add();
  table.offsets[entry] = state.entriesEnd;
  table.codes[entry] = typeCodes[object.type];
  table.headerBytes[entry] = writeEntryHeader(scratch, 0, typeCodes[object.type], object.data.length);
  table.entrySizes[entry] = object.data.length;
  table.sizes[entry] = object.data.length;
  table.crcs[entry] = crc32(bytes);
  spool.append(bytes);
  state.entriesEnd += bytes.length;
  const room = Buffer.allocUnsafe(hashRoom + object.data.length);
  object.data.copy(room, hashRoom);
  state.nameObject(entry, typeCodes[object.type], room, hashRoom, object.data.length);
  return entry;
}

function requireResolved(state: IngestState): void {
  const { table } = state;
  for (let entry = 0; entry < table.count; entry++) {
    if (table.types[entry] !== 0) continue;
    throw new IngestError("missing-base", `the delta at offset ${table.offsets[entry]} has no base`);
  }
}
