import { crc32 } from "node:zlib";
import { emptyEntryHeader, ofsDeltaCode, readEntryHeader } from "../../pack/entry-header.ts";
import { inflateCorrupt, inflateShort } from "../../pack/inflate.ts";
import { RecentResolver, Scratch } from "../deltas/resolve-recent.ts";
import { none } from "../entry-table.ts";
import { IngestError } from "../ingest-error.ts";
import { largeObjectBytes } from "../ingest-limits.ts";
import { corruptError, hashRoom, type IngestState } from "../ingest-state.ts";
import { checkPackHeader, packHeaderBytes } from "./pack-header.ts";
import type { PackInput } from "./pack-input.ts";
import { noteDelta, noteEntry } from "./scan-entry.ts";
import { scanLargeEntry } from "./scan-large.ts";

/** A byte of header and an empty zlib stream. */
const leastEntryBytes = 9;

/**
 * First pass: finds every entry's bounds, hashes and checks whole objects and those made by deltas on recent bases;
 * notes the other deltas. Leaves `input` at the trailing checksum.
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
  // The whole pack is here: it can't hold more than this, whatever it claims.
  const most = Math.min(state.announced, Math.floor(state.spool.size / leastEntryBytes));
  state.table.reserve(most);
  // About as many are named as there are.
  state.references.reserve(most);
}

class PackScan {
  private readonly input: PackInput;
  private readonly state: IngestState;
  private readonly header = emptyEntryHeader();
  private readonly resolver: RecentResolver;
  private readonly scratch = new Scratch();

  constructor(input: PackInput, state: IngestState) {
    this.input = input;
    this.state = state;
    this.resolver = new RecentResolver(state);
  }

  /** Takes whole entries out of the window; answers why it stopped. */
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
    const { recent } = this.resolver;
    const outcome = readEntryHeader(header, input.bytes, input.start, input.end, state.idBytes);
    if (outcome === "bad") throw corruptError(input.offset);
    if (outcome === "short") return "short";
    if (header.size > largeObjectBytes) return "large";
    const isDelta = header.code >= ofsDeltaCode;
    const needed = hashRoom + header.size + 1;
    const room = isDelta ? none : recent.room(needed);
    const bytes = room === none ? this.scratch.room(needed) : recent.bytes;
    const at = (room === none ? 0 : room) + hashRoom;
    const taken = state.inflate(input.bytes, header.dataAt, input.end, bytes, at, header.size);
    if (taken === inflateCorrupt) throw corruptError(input.offset);
    if (taken === inflateShort) return "short";
    const entry = this.addEntry(header.dataAt + taken);
    if (isDelta) this.takeDelta(entry, bytes, at);
    else this.takeWhole(entry, bytes, at);
    if (room !== none) recent.keep(entry, hashRoom, header.size, 0);
    return "next";
  }

  private addEntry(end: number): number {
    const { input, state, header } = this;
    const entry = noteEntry(state, header, input.bytes, input.start, input.offset);
    state.table.crcs[entry] = crc32(input.bytes.subarray(input.start, end));
    input.start = end;
    return entry;
  }

  private takeDelta(entry: number, bytes: Buffer, at: number): void {
    const { state, header, resolver } = this;
    const end = at + header.size;
    state.spend(header.size);
    noteDelta(state, entry, bytes, at, end);
    resolver.resolve(entry, bytes, at, end);
  }

  private takeWhole(entry: number, bytes: Buffer, at: number): void {
    const { state, header } = this;
    state.admit(header.size, state.table.offsets[entry] as number);
    state.table.sizes[entry] = header.size;
    state.identify(entry, header.code, bytes, at, header.size);
  }
}
