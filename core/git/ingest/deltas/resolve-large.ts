import { createHash } from "node:crypto";
import { typeCodes } from "../../format/object-type.ts";
import { readDeltaHeader } from "../../pack/delta.ts";
import { none } from "../entry-table.ts";
import { IngestError } from "../ingest-error.ts";
import { largeObjectBytes } from "../ingest-limits.ts";
import { badDelta, corruptError, hashRoom, type IngestState } from "../ingest-state.ts";
import { PieceInflater } from "../scan/piece-inflater.ts";
import { Spool } from "../spool/spool.ts";
import type { DeltaResolver } from "./resolve-deltas.ts";

const pieceBytes = 64 * 1024;
/** Longest instruction of a delta: one byte and 127 more. */
const longestInstruction = 128;

/** Bytes that are read here and there: a file, or memory. */
export interface ByteSource {
  size: number;
  view: Buffer;
  load(start: number, end: number): number;
}

/** Inflates a large whole object into a file and puts it on the stack. */
export async function resolveLargeRoot(resolver: DeltaResolver, root: number): Promise<void> {
  const file = await inflateToFile(resolver, root);
  resolver.frames.pushFile(root, resolver.linkNamed(root), file);
}

/**
 * Resolves a delta when the base, the delta or the result is large. Small results are made in memory; results on a
 * large base stay in files, because they could not be made again in one turn.
 */
export async function resolveLargeChild(resolver: DeltaResolver, child: number): Promise<void> {
  const { state, frames } = resolver;
  const base = resolver.baseSource();
  const delta = await inflateToFile(resolver, child);
  try {
    const size = state.table.sizes[child] as number;
    if (size <= largeObjectBytes) {
      const room = frames.reserve(hashRoom + size + 1);
      let at = room.at + hashRoom;
      await applyPieces(state, child, delta, base, (piece) => {
        at += piece.copy(room.bytes, at);
      });
      resolver.identify(child, room.bytes, room.at + hashRoom, size);
      const first = resolver.linkNamed(child);
      if (first !== none)
        frames.pushFile(child, first, toFile(state, room.bytes.subarray(room.at + hashRoom, at)));
    } else {
      await resolveToFile(resolver, child, delta, base);
    }
  } finally {
    delta.remove();
  }
}

function toFile(state: IngestState, bytes: Buffer): Spool {
  const file = Spool.create(state.temporaryPath());
  file.append(bytes);
  return file;
}

async function resolveToFile(
  resolver: DeltaResolver,
  child: number,
  delta: Spool,
  base: ByteSource,
): Promise<void> {
  const { state } = resolver;
  const size = state.table.sizes[child] as number;
  if (state.table.types[state.table.bases[child] as number] !== typeCodes.blob) {
    throw new IngestError("object-too-large", `an object that is no blob has ${size} bytes`);
  }
  const hash = createHash(state.format).update(`blob ${size}\0`);
  const file = Spool.create(state.temporaryPath());
  let isKept = false;
  try {
    await applyPieces(state, child, delta, base, (piece) => {
      hash.update(piece);
      file.append(piece);
    });
    state.setId(child, typeCodes.blob, hash.digest());
    const first = resolver.linkNamed(child);
    isKept = first !== none;
    if (isKept) resolver.frames.pushFile(child, first, file);
  } finally {
    if (!isKept) file.remove();
  }
}

async function inflateToFile(resolver: DeltaResolver, entry: number): Promise<Spool> {
  const { state } = resolver;
  const { table, spool } = state;
  const offset = table.offsets[entry] as number;
  const end = resolver.endOf(entry);
  const file = Spool.create(state.temporaryPath());
  const inflater = new PieceInflater((piece) => file.append(piece));
  const chunk = Buffer.allocUnsafeSlow(pieceBytes);
  try {
    for (let at = offset + (table.headerBytes[entry] as number); at < end; ) {
      const length = Math.min(pieceBytes, end - at);
      spool.readInto(chunk, 0, at, length);
      await inflater.push(chunk.subarray(0, length));
      state.throwIfAborted();
      at += length;
    }
    if (inflater.produced !== table.entrySizes[entry]) throw corruptError(offset);
    return file;
  } catch (error) {
    file.remove();
    throw error;
  } finally {
    inflater.close();
  }
}

/** Applies a delta in pieces of at most 64 KiB; each piece is valid only during its call. */
async function applyPieces(
  state: IngestState,
  entry: number,
  delta: ByteSource,
  base: ByteSource,
  onPiece: (piece: Buffer) => void,
): Promise<void> {
  const offset = state.table.offsets[entry] as number;
  const startAt = delta.load(0, Math.min(delta.size, 20));
  const header = readDeltaHeader(delta.view, startAt, startAt + Math.min(delta.size, 20));
  if (
    header === undefined ||
    header.baseSize !== base.size ||
    header.resultSize !== state.table.sizes[entry]
  ) {
    throw badDelta(offset);
  }
  let produced = 0;
  for (let at = header.at - startAt; at < delta.size; ) {
    const end = Math.min(delta.size, at + longestInstruction);
    const viewAt = delta.load(at, end);
    const step = readInstruction(delta.view, viewAt, viewAt + end - at);
    if (step === undefined || produced + step.size > header.resultSize) throw badDelta(offset);
    if (step.from === none) onPiece(delta.view.subarray(viewAt + 1, viewAt + 1 + step.size));
    else if (step.from + step.size > base.size) throw badDelta(offset);
    else copyPieces(base, step.from, step.from + step.size, onPiece);
    produced += step.size;
    at += step.length;
    if (state.isTurnOver()) await state.breathe();
  }
  if (produced !== header.resultSize) throw badDelta(offset);
}

function copyPieces(base: ByteSource, from: number, to: number, onPiece: (piece: Buffer) => void): void {
  for (let at = from; at < to; ) {
    const end = Math.min(to, at + pieceBytes);
    const viewAt = base.load(at, end);
    onPiece(base.view.subarray(viewAt, viewAt + end - at));
    at = end;
  }
}

interface Instruction {
  /** The place in the base to copy from; `none` for bytes that follow in the delta. */
  from: number;
  size: number;
  /** Bytes of the instruction itself. */
  length: number;
}

function readInstruction(bytes: Buffer, start: number, end: number): Instruction | undefined {
  const op = bytes[start] as number;
  if (op < 0x80) {
    return op === 0 || start + 1 + op > end ? undefined : { from: none, size: op, length: 1 + op };
  }
  let at = start + 1;
  let from = 0;
  let size = 0;
  for (let bit = 0; bit < 4; bit++) if (op & (1 << bit)) from += (bytes[at++] as number) * 2 ** (8 * bit);
  for (let bit = 0; bit < 3; bit++) if (op & (16 << bit)) size += (bytes[at++] as number) * 2 ** (8 * bit);
  return at > end ? undefined : { from, size: size === 0 ? 0x10000 : size, length: at - start };
}
