import { crc32 } from "node:zlib";
import { emptyEntryHeader, ofsDeltaCode, readEntryHeader } from "./entry-header.ts";
import { inflateCorrupt, inflateShort } from "./inflate.ts";
import { IngestError } from "./ingest-error.ts";
import { corruptError, hashRoom, type IngestState, largeObjectBytes } from "./ingest-state.ts";
import { checkPackHeader, packHeaderBytes } from "./pack-header.ts";
import type { PackInput } from "./pack-input.ts";
import { noteDelta, noteEntry } from "./scan-entry.ts";
import { scanLargeEntry } from "./scan-large.ts";

const firstScratch = 64 * 1024;

/**
 * First pass: finds every entry's bounds, hashes and checks whole objects, notes the deltas.
 * Leaves `input` at the trailing checksum.
 */
export async function scanPack(input: PackInput, state: IngestState): Promise<void> {
  readPackHeader(input, state);
  const scan = new PackScan(input, state);
  while (state.table.count < state.announced) {
    const stop = scan.scanWindow();
    if (stop === "large") {
      await scanLargeEntry(input, state);
    } else if (stop === "short" && !input.fill()) {
      if (input.isEnded) throw truncated();
      await scanLargeEntry(input, state);
    }
    if (state.isTurnOver()) {
      await state.breathe({ stage: "receiving", done: state.table.count, total: state.announced });
    }
  }
}

const truncated = (): IngestError => new IngestError("truncated", "the pack ends too early");

function readPackHeader(input: PackInput, state: IngestState): void {
  while (input.end - input.start < packHeaderBytes) {
    if (!input.fill()) throw truncated();
  }
  state.announced = checkPackHeader(input.bytes, input.start, state.limits);
  input.start += packHeaderBytes;
}

class PackScan {
  private readonly input: PackInput;
  private readonly state: IngestState;
  private readonly header = emptyEntryHeader();
  private scratch: Buffer = Buffer.allocUnsafeSlow(firstScratch);

  constructor(input: PackInput, state: IngestState) {
    this.input = input;
    this.state = state;
  }

  /** Takes whole entries out of the window; tells why it stopped. */
  scanWindow(): "turn" | "short" | "large" {
    const { state } = this;
    while (state.table.count < state.announced) {
      const stop = this.scanEntry();
      if (stop !== "next") return stop;
      if ((state.table.count & 63) === 0 && state.isTurnOver()) return "turn";
    }
    return "turn";
  }

  private scanEntry(): "next" | "short" | "large" {
    const { input, state, header } = this;
    const outcome = readEntryHeader(header, input.bytes, input.start, input.end, state.idBytes);
    if (outcome === "bad") throw corruptError(input.offset);
    if (outcome === "short") return "short";
    if (header.size > largeObjectBytes) return "large";
    this.reserve(header.size);
    const taken = state.inflate(input.bytes, header.dataAt, input.end, this.scratch, hashRoom, header.size);
    if (taken === inflateCorrupt) throw corruptError(input.offset);
    if (taken === inflateShort) return "short";
    this.addEntry(header.dataAt + taken);
    return "next";
  }

  private reserve(size: number): void {
    const needed = hashRoom + size + 1;
    if (this.scratch.length < needed)
      this.scratch = Buffer.allocUnsafeSlow(Math.max(needed, this.scratch.length * 2));
  }

  private addEntry(end: number): void {
    const { input, state, header, scratch } = this;
    const entry = noteEntry(state, header, input.bytes, input.start, input.offset);
    state.table.crcs[entry] = crc32(input.bytes.subarray(input.start, end));
    if (header.code >= ofsDeltaCode) {
      state.spend(header.size);
      noteDelta(state, entry, scratch, hashRoom, hashRoom + header.size);
    } else {
      state.admit(header.size, input.offset);
      state.table.sizes[entry] = header.size;
      state.identify(entry, header.code, scratch, hashRoom, header.size);
    }
    input.start = end;
  }
}
