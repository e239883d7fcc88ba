import { none } from "../entry-table.ts";

/** Bytes of the ring; a small pack gets a smaller one. */
const ringBytes = 16 * 2 ** 20;
/** How many entries are remembered: a later one replaces the one this far before it. */
const slots = 2 ** 16;

/**
 * The latest objects of a pack, for the deltas that follow: bytes in a ring, in which the newest replace the oldest.
 * Places are indexes into `bytes`.
 */
export class RecentObjects {
  readonly bytes: Buffer;
  private readonly entries: Int32Array;
  private readonly depths: Int32Array;
  /** Positions, like the two below, keep counting when the ring wraps. */
  private readonly starts: Float64Array;
  private end = 0;
  private overwrittenTo = 0;

  /** `mostBytes`: more than all objects together will hardly have. */
  constructor(mostBytes: number) {
    this.bytes = Buffer.allocUnsafeSlow(Math.min(ringBytes, mostBytes));
    const count = Math.min(slots, 2 ** Math.ceil(Math.log2(mostBytes / 16 + 2)));
    this.entries = new Int32Array(count).fill(none);
    this.depths = new Int32Array(count);
    this.starts = new Float64Array(count);
  }

  /** The place where `size` bytes may be written, kept or not; `none` when they are too many for the ring. */
  room(size: number): number {
    const length = this.bytes.length;
    if (size * 8 > length) return none;
    const at = this.end % length;
    if (at + size > length) this.end += length - at;
    this.overwrittenTo = Math.max(this.overwrittenTo, this.end + size - length);
    return this.end % length;
  }

  /**
   * Keeps an object written `offset` bytes behind the place from `room`, with its number of deltas from a whole one.
   */
  keep(entry: number, offset: number, size: number, depth: number): void {
    const slot = entry % this.entries.length;
    this.entries[slot] = entry;
    this.depths[slot] = depth;
    this.starts[slot] = this.end + offset;
    this.end += offset + size;
  }

  /** The place of an object that has not been overwritten; `none` when it is not here (any more). */
  find(entry: number): number {
    const slot = entry % this.entries.length;
    const start = this.starts[slot] as number;
    return this.entries[slot] === entry && start >= this.overwrittenTo ? start % this.bytes.length : none;
  }

  /** How many deltas separate a found object from a whole one. */
  depthOf(entry: number): number {
    return this.depths[entry % this.depths.length] as number;
  }
}
