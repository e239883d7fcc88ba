import { readDeltaHeader } from "../../pack/delta.ts";
import { type EntryHeader, ofsDeltaCode, refDeltaCode } from "../../pack/entry-header.ts";
import { none } from "../entry-table.ts";
import { IngestError } from "../ingest-error.ts";
import { corruptError, type IngestState } from "../ingest-state.ts";

/** Adds an entry whose header was read at `start` of `bytes`, after checking its claims. */
export function noteEntry(
  state: IngestState,
  header: EntryHeader,
  bytes: Uint8Array,
  start: number,
  offset: number,
): number {
  const { table } = state;
  let base = none;
  if (header.code === ofsDeltaCode) {
    base = table.entryAt(offset - header.baseDistance);
    if (base === none) throw new IngestError("bad-delta", `the delta at offset ${offset} has no base there`);
  }
  const entry = table.add();
  table.offsets[entry] = offset;
  table.codes[entry] = header.code;
  table.headerBytes[entry] = header.dataAt - start;
  table.entrySizes[entry] = header.size;
  table.bases[entry] = base;
  if (header.code === refDeltaCode) state.refDeltas.add(entry, bytes, header.baseIdAt);
  return entry;
}

/** Reads the sizes at the start of a delta and admits the object it makes. */
export function noteDelta(
  state: IngestState,
  entry: number,
  delta: Uint8Array,
  start: number,
  end: number,
): void {
  const offset = state.table.offsets[entry] as number;
  const sizes = readDeltaHeader(delta, start, end);
  if (sizes === undefined) throw corruptError(offset);
  state.admit(sizes.baseSize, offset, 0);
  state.admit(sizes.resultSize, offset);
  const most = state.limits.deltaObjectBytes;
  if (Math.max(sizes.baseSize, sizes.resultSize) > most) {
    throw new IngestError(
      "object-too-large",
      `the delta at offset ${offset} is of an object above ${most} bytes; send it whole (core.bigFileThreshold)`,
    );
  }
  state.table.sizes[entry] = sizes.resultSize;
}
