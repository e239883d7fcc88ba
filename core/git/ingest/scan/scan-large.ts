import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { typeOfCode } from "../../format/object-type.ts";
import { type EntryHeader, emptyEntryHeader, readEntryHeader } from "../../pack/entry-header.ts";
import { IngestError } from "../ingest-error.ts";
import { largeObjectBytes } from "../ingest-limits.ts";
import { corruptError, hashRoom, type IngestState } from "../ingest-state.ts";
import type { PackInput } from "./pack-input.ts";
import { PieceInflater } from "./piece-inflater.ts";
import { noteDelta, noteEntry } from "./scan-entry.ts";

const pieceBytes = 64 * 1024;
/** Enough of a delta to hold both of its sizes. */
const deltaStartBytes = 20;

/**
 * Takes one entry in pieces as they are read: one too large for memory, or whose deflated bytes don't fit the window.
 * Only blobs may make objects above `largeObjectBytes`: the other kinds are checked whole.
 */
export async function scanLargeEntry(input: PackInput, state: IngestState): Promise<void> {
  const header = emptyEntryHeader();
  const { offset } = input;
  const outcome = readEntryHeader(header, input.bytes, input.start, input.end, state.idBytes);
  if (outcome !== "ok") throw corruptError(offset);
  const type = typeOfCode(header.code);
  state.admit(header.size, offset);
  if (type !== undefined && type !== "blob" && header.size > largeObjectBytes) {
    throw new IngestError("object-too-large", `the ${type} at offset ${offset} has ${header.size} bytes`);
  }
  const entry = noteEntry(state, header, input.bytes, input.start, offset);
  const content = new EntryContent(state, entry, header);
  state.table.crcs[entry] = await inflatePieces(input, state, header, content);
  content.finish();
}

/** The handling of the inflated bytes of one entry. */
class EntryContent {
  private readonly state: IngestState;
  private readonly entry: number;
  private readonly header: EntryHeader;
  private readonly hash;
  /** The whole of a small object, the start of a delta, nothing of a large blob. */
  private readonly kept: Buffer;
  private keptBytes = 0;

  constructor(state: IngestState, entry: number, header: EntryHeader) {
    this.state = state;
    this.entry = entry;
    this.header = header;
    const type = typeOfCode(header.code);
    const isHashedInPieces = type === "blob";
    this.hash = isHashedInPieces ? createHash(state.format).update(`blob ${header.size}\0`) : undefined;
    const keep =
      type === undefined ? Math.min(deltaStartBytes, header.size) : isHashedInPieces ? 0 : header.size;
    this.kept = Buffer.allocUnsafeSlow(hashRoom + keep);
  }

  take(piece: Buffer, before: number): void {
    if (before + piece.length > this.header.size) {
      throw corruptError(this.state.table.offsets[this.entry] as number);
    }
    this.hash?.update(piece);
    this.keptBytes += piece.copy(this.kept, hashRoom + this.keptBytes);
  }

  finish(): void {
    const { state, entry, header } = this;
    if (typeOfCode(header.code) === undefined) {
      noteDelta(state, entry, this.kept, hashRoom, this.kept.length);
      return;
    }
    state.table.sizes[entry] = header.size;
    if (this.hash === undefined) state.identify(entry, header.code, this.kept, hashRoom, header.size);
    else state.setId(entry, header.code, this.hash.digest());
  }
}

/** Feeds the inflater from the window, refilling it; returns the CRC32 of the entry's bytes. */
async function inflatePieces(
  input: PackInput,
  state: IngestState,
  header: EntryHeader,
  content: EntryContent,
): Promise<number> {
  const { offset } = input;
  let crc = crc32(input.bytes.subarray(input.start, header.dataAt));
  input.start = header.dataAt;
  const inflater = new PieceInflater((piece) => content.take(piece, inflater.produced - piece.length));
  try {
    while (!inflater.isEnded) {
      if (input.start === input.end && !input.fill()) {
        throw new IngestError("truncated", "the pack ends too early");
      }
      if (state.isTurnOver()) await state.breathe();
      const chunk = input.bytes.subarray(input.start, Math.min(input.end, input.start + pieceBytes));
      const taken = await push(inflater, chunk, offset);
      crc = crc32(chunk.subarray(0, taken), crc);
      input.start += taken;
    }
    if (inflater.produced !== header.size) throw corruptError(offset);
  } finally {
    inflater.close();
  }
  return crc;
}

async function push(inflater: PieceInflater, chunk: Uint8Array, offset: number): Promise<number> {
  try {
    return await inflater.push(chunk);
  } catch (error) {
    throw error instanceof IngestError ? error : corruptError(offset);
  }
}
