import { allocLarge } from "../../capacity/large-buffer.ts";

/** No entry. */
export const none = -1;

const leastRoom = 256;

/** The facts of an ingest about each entry, in pack order: flat arrays side by side in one piece of memory. */
export class EntryTable {
  readonly idBytes: number;
  count = 0;
  offsets = new Float64Array(0);
  crcs = new Uint32Array(0);
  /** Inflated size of the entry itself. */
  entrySizes = new Uint32Array(0);
  /** Inflated size of the object. */
  sizes = new Uint32Array(0);
  /** The entry of the delta base; `none` for whole objects and bases not found yet. */
  bases = new Int32Array(0);
  /** The number in the entry's header: 1–4, 6, 7. */
  codes = new Uint8Array(0);
  /** The object's kind; 0 until its delta is resolved. */
  types = new Uint8Array(0);
  /** Bytes from the entry's start to its deflated data. */
  headerBytes = new Uint8Array(0);
  ids: Buffer = Buffer.alloc(0);

  constructor(idBytes: number) {
    this.idBytes = idBytes;
  }

  /** Makes room for `count` entries at once, cheaper than growing. Don't pass a number that a pack merely claims. */
  reserve(count: number): void {
    if (count > this.offsets.length) this.resize(count);
  }

  /** Adds an entry of zeros and returns its number. */
  add(): number {
    if (this.count === this.offsets.length) this.resize(Math.max(leastRoom, this.count * 2));
    this.bases[this.count] = none;
    return this.count++;
  }

  /** Widest elements first, so that each array is aligned to the size of its elements. */
  private resize(room: number): void {
    const { buffer } = allocLarge(room * (8 + 4 * 4 + 3 + this.idBytes));
    const { offsets, crcs, entrySizes, sizes, bases, codes, types, headerBytes, ids } = this;
    this.offsets = new Float64Array(buffer, 0, room);
    this.crcs = new Uint32Array(buffer, room * 8, room);
    this.entrySizes = new Uint32Array(buffer, room * 12, room);
    this.sizes = new Uint32Array(buffer, room * 16, room);
    this.bases = new Int32Array(buffer, room * 20, room);
    this.codes = new Uint8Array(buffer, room * 24, room);
    this.types = new Uint8Array(buffer, room * 25, room);
    this.headerBytes = new Uint8Array(buffer, room * 26, room);
    this.ids = Buffer.from(buffer, room * 27, room * this.idBytes);
    this.offsets.set(offsets);
    this.crcs.set(crcs);
    this.entrySizes.set(entrySizes);
    this.sizes.set(sizes);
    this.bases.set(bases);
    this.codes.set(codes);
    this.types.set(types);
    this.headerBytes.set(headerBytes);
    this.ids.set(ids);
  }

  /** The entry that begins at an offset, among all added so far; `none` when there is none. */
  entryAt(offset: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const found = this.offsets[middle] as number;
      if (found === offset) return middle;
      if (found < offset) low = middle + 1;
      else high = middle;
    }
    return none;
  }

  /** An entry's id as text. */
  hexId(entry: number): string {
    return this.ids.toString("hex", entry * this.idBytes, (entry + 1) * this.idBytes);
  }
}
