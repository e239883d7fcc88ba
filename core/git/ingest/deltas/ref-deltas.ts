import { compareIds, sortIds } from "../../pack/sort-ids.ts";
import type { EntryTable } from "../entry-table.ts";

/** The ref-deltas of a pack, looked up by the id of their base. */
export class RefDeltas {
  count = 0;
  private readonly idBytes: number;
  private baseIds: Buffer = Buffer.alloc(0);
  private entries = new Uint32Array(0);
  private order: Uint32Array = new Uint32Array(0);

  constructor(idBytes: number) {
    this.idBytes = idBytes;
  }

  /** Notes a delta on the base whose id lies at `at`. */
  add(entry: number, bytes: Uint8Array, at: number): void {
    if (this.count === this.entries.length) this.grow();
    this.baseIds.set(bytes.subarray(at, at + this.idBytes), this.count * this.idBytes);
    this.entries[this.count++] = entry;
  }

  private grow(): void {
    const size = Math.max(64, this.entries.length * 2);
    const entries = new Uint32Array(size);
    entries.set(this.entries);
    this.entries = entries;
    const baseIds = Buffer.alloc(size * this.idBytes);
    this.baseIds.copy(baseIds);
    this.baseIds = baseIds;
  }

  /** Readies the lookup; nothing is added afterwards. */
  sort(): void {
    this.order = sortIds(this.baseIds, this.idBytes, this.count);
  }

  /** The entries whose base has the id at `at`. */
  *of(bytes: Uint8Array, at: number): Generator<number> {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compareAt(middle, bytes, at) < 0) low = middle + 1;
      else high = middle;
    }
    for (; low < this.count && this.compareAt(low, bytes, at) === 0; low++) {
      yield this.entries[this.order[low] as number] as number;
    }
  }

  private compareAt(rank: number, bytes: Uint8Array, at: number): number {
    return compareIds(this.baseIds, (this.order[rank] as number) * this.idBytes, bytes, at, this.idBytes);
  }

  /** True while a delta on the base with this id waits for it. */
  isOpen(id: Buffer, table: EntryTable): boolean {
    for (const entry of this.of(id, 0)) if (table.types[entry] === 0) return true;
    return false;
  }

  /** Distinct base ids of the entries that still answer true to `isOpen`, sorted. */
  openBaseIds(isOpen: (entry: number) => boolean): Buffer[] {
    const found: Buffer[] = [];
    for (const number of this.order) {
      if (!isOpen(this.entries[number] as number)) continue;
      const id = this.baseIds.subarray(number * this.idBytes, (number + 1) * this.idBytes);
      if (found.at(-1)?.equals(id) !== true) found.push(id);
    }
    return found;
  }
}
