import { createHash } from "node:crypto";
import { type ObjectFormat, objectIdBytes } from "../../format/object-format.ts";
import type { DeltaResolver } from "../deltas/resolve-deltas.ts";
import { IngestError } from "../ingest-error.ts";
import type { IngestState } from "../ingest-state.ts";
import type { PackInput } from "../scan/pack-input.ts";
import { appendBases } from "./append-bases.ts";

const rehashBytes = 2 ** 20;

/** Reads the trailing checksum and checks that nothing follows it. Returns the checksum. */
export function readTrailer(input: PackInput, state: IngestState): Buffer {
  state.entriesEnd = input.offset;
  while (!input.isEnded && !input.isFull) input.fill();
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
 * Completes a thin pack: appends the repository's bases for deltas whose base is not in the pack, resolves those
 * deltas, and fixes header and trailer. Returns how many were appended, and the pack's checksum.
 */
export async function completePack(
  state: IngestState,
  resolver: DeltaResolver,
  checksum: Buffer,
): Promise<{ appendedCount: number; checksum: Buffer }> {
  const sent = state.table.count;
  const missing = state.refDeltas.openBaseIds((entry) => state.table.types[entry] === 0);
  if (missing.length > 0) state.spool.truncate(state.entriesEnd);
  state.table.reserve(sent + missing.length);
  await appendBases(state, resolver, missing);
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

function requireResolved(state: IngestState): void {
  const { table } = state;
  for (let entry = 0; entry < table.count; entry++) {
    if (table.types[entry] !== 0) continue;
    throw new IngestError("missing-base", `the delta at offset ${table.offsets[entry]} has no base`);
  }
}
