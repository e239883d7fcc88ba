import { createInflate } from "node:zlib";
import { manySteps } from "../../concurrency/pacer.ts";
import { typeCodes } from "../format/object-type.ts";
import { applyDelta, continueDelta, readDeltaHeader } from "./delta.ts";
import { type EntryHeader, emptyEntryHeader, readEntryHeader } from "./entry-header.ts";
import { threadInflater } from "./inflate.ts";

/** Lets others run: called after some steps; a promise from it is awaited. */
export type Pace = (steps: number) => Promise<void> | undefined;

/** One entry of a pack, and its facts from the pack's side file. */
export interface StoredEntry {
  /** From its header to its end. */
  readonly bytes: Buffer;
  /** Of the object that it makes. */
  readonly size: number;
  readonly idBytes: number;
  /** The content that a delta rests on. */
  readonly base: Buffer | undefined;
}

/** So much is made in a few milliseconds. */
const quickBytes = 2 ** 20;
/** Larger content is inflated outside the event loop. */
const apartBytes = 4 * 2 ** 20;
const pieceBytes = 256 * 1024;
const largeDelta = 2 ** 20;
const header = emptyEntryHeader();
let deltaScratch: Buffer | undefined;

/** An entry's content, at once; undefined when its bytes make no sense. */
export function buildEntry(entry: StoredEntry): Buffer | undefined {
  if (!readHeader(entry, header)) return undefined;
  const { bytes, base, size } = entry;
  if (base === undefined) {
    const target = Buffer.allocUnsafe(size + 1);
    return inflateInto(bytes, header, target) ? target.subarray(0, size) : undefined;
  }
  const delta = roomForDelta(header.size);
  if (!inflateInto(bytes, header, delta)) return undefined;
  const run = runOf(entry, delta, header.size);
  return run !== undefined && applyDelta(run.delta, run.base, run.target) ? run.result : undefined;
}

/** The same in steps when it takes long; it may write over `spare` when that is large enough. */
export async function buildEntryPaced(
  entry: StoredEntry,
  pace: Pace,
  spare?: Buffer,
): Promise<Buffer | undefined> {
  const { bytes, base, size } = entry;
  const own = emptyEntryHeader();
  if (!readHeader(entry, own)) return undefined;
  if (Math.max(size, own.size) <= quickBytes) return buildEntry(entry);
  const content = await inflatePaced(bytes, own);
  if (base === undefined || content === undefined) return content;
  const run = runOf(entry, content, own.size, spare);
  if (run === undefined) return undefined;
  for (;;) {
    const isApplied = continueDelta(run, quickBytes);
    if (isApplied !== undefined) return isApplied ? run.result : undefined;
    const pause = pace(manySteps);
    if (pause !== undefined) await pause;
  }
}

function readHeader({ bytes, base, size, idBytes }: StoredEntry, into: EntryHeader): boolean {
  if (readEntryHeader(into, bytes, 0, bytes.length, idBytes) !== "ok") return false;
  const isDelta = into.code > typeCodes.tag;
  return isDelta === (base !== undefined) && (isDelta || into.size === size);
}

const inflateInto = (bytes: Buffer, { dataAt, size }: EntryHeader, target: Buffer): boolean =>
  threadInflater()(bytes, dataAt, bytes.length, target, 0, size) >= 0;

async function inflatePaced(bytes: Buffer, head: EntryHeader): Promise<Buffer | undefined> {
  const { size, dataAt } = head;
  const target = Buffer.allocUnsafe(size + 1);
  if (size > apartBytes) return inflateApart(bytes.subarray(dataAt), target);
  return inflateInto(bytes, head, target) ? target.subarray(0, size) : undefined;
}

/** Inflates into a buffer with a byte to spare; undefined when the stream is damaged or of another length. */
async function inflateApart(bytes: Buffer, target: Buffer): Promise<Buffer | undefined> {
  const inflate = createInflate({ chunkSize: pieceBytes });
  let at = 0;
  inflate.end(bytes);
  try {
    for await (const piece of inflate as AsyncIterable<Buffer>) {
      at += piece.copy(target, at);
      if (at === target.length) break;
    }
  } catch {
    return undefined; // damaged: the caller says so with the object's id
  }
  return at === target.length - 1 ? target.subarray(0, at) : undefined;
}

/** The state for applying a delta; undefined when its sizes are not those of its base and its object. */
function runOf({ base, size }: StoredEntry, delta: Buffer, deltaSize: number, spare?: Buffer) {
  const sizes = readDeltaHeader(delta, 0, deltaSize);
  if (base === undefined || sizes?.baseSize !== base.length || sizes.resultSize !== size) return undefined;
  const isRoom = spare !== undefined && spare.length >= size && spare.length <= 2 * size;
  const result = isRoom ? spare.subarray(0, size) : Buffer.allocUnsafe(size);
  return {
    delta: { bytes: delta, start: sizes.at, end: deltaSize },
    base: { bytes: base, start: 0, end: base.length },
    target: { bytes: result, start: 0, end: size },
    at: sizes.at,
    to: 0,
    result,
  };
}

/** One buffer serves all deltas except the rare large ones. */
function roomForDelta(size: number): Buffer {
  if (size >= largeDelta) return Buffer.allocUnsafeSlow(size + 1);
  deltaScratch ??= Buffer.allocUnsafeSlow(largeDelta);
  return deltaScratch;
}
