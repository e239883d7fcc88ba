/** No entry. */
export const none = -1;

/**
 * What an ingest knows of each entry, in pack order: flat arrays that double when full, never sized by what the
 * pack merely claims.
 */
export class EntryTable {
  readonly idBytes: number;
  count = 0;
  offsets = new Float64Array(256);
  crcs = new Uint32Array(256);
  /** The number in the entry's header: 1–4, 6, 7. */
  codes = new Uint8Array(256);
  /** The object's kind; 0 until its delta is resolved. */
  types = new Uint8Array(256);
  /** Bytes from the entry's start to its deflated data. */
  headerBytes = new Uint8Array(256);
  /** Inflated size of the entry itself. */
  entrySizes = new Uint32Array(256);
  /** Inflated size of the object. */
  sizes = new Uint32Array(256);
  /** The entry of the delta base; `none` for whole objects and bases not found yet. */
  bases = new Int32Array(256);
  ids: Buffer;

  constructor(idBytes: number) {
    this.idBytes = idBytes;
    this.ids = Buffer.alloc(256 * idBytes);
  }

  /** Adds an entry of zeros and returns its number. */
  add(): number {
    if (this.count === this.offsets.length) this.grow();
    this.bases[this.count] = none;
    return this.count++;
  }

  private grow(): void {
    const size = this.offsets.length * 2;
    const larger = <T extends Float64Array | Uint32Array | Uint8Array | Int32Array>(target: T, old: T): T => {
      target.set(old);
      return target;
    };
    this.offsets = larger(new Float64Array(size), this.offsets);
    this.crcs = larger(new Uint32Array(size), this.crcs);
    this.codes = larger(new Uint8Array(size), this.codes);
    this.types = larger(new Uint8Array(size), this.types);
    this.headerBytes = larger(new Uint8Array(size), this.headerBytes);
    this.entrySizes = larger(new Uint32Array(size), this.entrySizes);
    this.sizes = larger(new Uint32Array(size), this.sizes);
    this.bases = larger(new Int32Array(size), this.bases);
    const ids = Buffer.alloc(size * this.idBytes);
    this.ids.copy(ids);
    this.ids = ids;
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
