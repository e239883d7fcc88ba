import { applyDelta, readDeltaHeader } from "../../pack/delta.ts";
import { none } from "../entry-table.ts";
import { badDelta, corruptError, hashRoom, type IngestState } from "../ingest-state.ts";
import { RecentObjects } from "./recent-objects.ts";

/** Packs hold hardly more than this many times their size. */
const usualRatio = 32;
/** Objects made again for one delta. */
const longestChain = 50;
/** Packed bytes of one of them. */
const mostPackedBytes = 2 ** 20;

/**
 * Applies deltas while the pack is scanned: most rest on recent objects. It makes the bases of others again, unless
 * that is much work; those are left to the second pass.
 */
export class RecentResolver {
  readonly recent: RecentObjects;
  private readonly state: IngestState;
  private readonly packed = new Scratch();
  private readonly delta = new Scratch();

  constructor(state: IngestState) {
    this.state = state;
    this.recent = new RecentObjects(state.spool.size * usualRatio);
  }

  /** Makes, names and checks the object of a noted delta, if its base is at hand. */
  resolve(entry: number, delta: Buffer, start: number, end: number): void {
    const { table } = this.state;
    const base = table.bases[entry] as number;
    if (base === none || table.types[base] === 0 || !this.bring(base)) return;
    const at = this.make(entry, delta, start, end);
    if (at === none) return;
    const size = table.sizes[entry] as number;
    this.state.identify(entry, table.types[base] as number, this.recent.bytes, at, size);
  }

  /** Applies a delta on a recent base; answers its object's place, `none` when there is no room for it. */
  private make(entry: number, delta: Buffer, start: number, end: number): number {
    const { recent, state } = this;
    const { table, limits } = state;
    const base = table.bases[entry] as number;
    const size = table.sizes[entry] as number;
    const depth = recent.depthOf(base) + 1;
    const room = depth > limits.deltaDepth ? none : recent.room(hashRoom + size + 1);
    const baseAt = recent.find(base);
    if (room === none || baseAt === none) return none;
    const sizes = readDeltaHeader(delta, start, end);
    const at = room + hashRoom;
    const isApplied =
      sizes !== undefined &&
      sizes.baseSize === table.sizes[base] &&
      applyDelta(
        { bytes: delta, start: sizes.at, end },
        { bytes: recent.bytes, start: baseAt, end: baseAt + sizes.baseSize },
        { bytes: recent.bytes, start: at, end: at + size },
      );
    if (!isApplied) throw badDelta(table.offsets[entry] as number);
    recent.keep(entry, hashRoom, size, depth);
    return at;
  }

  /** Brings an object that was made before back among the recent ones; false when that is too much work. */
  private bring(entry: number): boolean {
    const { bases } = this.state.table;
    const chain: number[] = [];
    for (let at = entry; at !== none && this.recent.find(at) === none; at = bases[at] as number) {
      if (chain.length === longestChain) return false;
      chain.push(at);
    }
    return chain.reverse().every((at) => this.makeAgain(at));
  }

  private makeAgain(entry: number): boolean {
    const { recent, packed, delta, state } = this;
    const { table, spool, inflate } = state;
    const size = table.entrySizes[entry] as number;
    const from = (table.offsets[entry] as number) + (table.headerBytes[entry] as number);
    const length = (table.offsets[entry + 1] as number) - from;
    const isWhole = table.bases[entry] === none;
    const room = isWhole ? recent.room(hashRoom + size + 1) : none;
    if (length > mostPackedBytes || (isWhole ? room === none : size > mostPackedBytes)) return false;
    state.spend(table.sizes[entry] as number);
    spool.readInto(packed.room(length), 0, from, length);
    const bytes = isWhole ? recent.bytes : delta.room(size + 1);
    const taken = inflate(packed.bytes, 0, length, bytes, isWhole ? room + hashRoom : 0, size);
    if (taken < 0) throw corruptError(table.offsets[entry] as number);
    if (!isWhole) return this.make(entry, delta.bytes, 0, size) !== none;
    recent.keep(entry, hashRoom, size, 0);
    return true;
  }
}

/** Bytes for one use after the other. */
export class Scratch {
  bytes: Buffer = Buffer.alloc(0);

  /** At least so many bytes; their former content may be gone. */
  room(size: number): Buffer {
    if (this.bytes.length < size)
      this.bytes = Buffer.allocUnsafeSlow(Math.max(size, this.bytes.length * 2, 4096));
    return this.bytes;
  }
}
