import { packBlockBytes } from "../pack/pack-caches.ts";
import type { PackReader } from "../pack/pack-reader.ts";
import { type PackSet, type Place, packOfPlace, positionOfPlace } from "../pack/pack-set.ts";

const mostBlocks = 8;

/**
 * Fetches the blocks that a walk is likely to need next. Git stores commits together, then trees, each about newest
 * first, so a walk that misses again and again reads on in the pack: the blocks that follow, as far as they begin
 * with objects of the same kind, one at first and up to 8 (one request) as the misses repeat.
 */
export class ReadAhead {
  readonly #packs: PackSet;
  readonly #blocks = new Map<string, number>();

  constructor(packs: PackSet) {
    this.#packs = packs;
  }

  /** To be waited for before an object that is not in memory is read. */
  async fetch(place: Place): Promise<void> {
    const pack = packOfPlace(place);
    const reader = this.#packs.packs[pack] as PackReader;
    const position = positionOfPlace(place);
    const kind = reader.side.typeCodeAt(position);
    const key = `${pack}:${kind}`;
    const count = this.#blocks.get(key) ?? 1;
    this.#blocks.set(key, Math.min(count * 2, mostBlocks));
    if (count === 1) return;
    const first = Math.floor(reader.side.offsetAt(position) / packBlockBytes);
    const ranges = [];
    for (let block = first; block < first + count; block++) {
      const start = block * packBlockBytes;
      if (start >= reader.entry.packBytes || (block > first && kindAt(reader, start) !== kind)) break;
      ranges.push({ start, end: Math.min(start + packBlockBytes, reader.entry.packBytes) });
    }
    await reader.blocks.read(ranges);
  }
}

/** The kind of the first entry at or after an offset; -1 past the last. */
function kindAt({ side }: PackReader, offset: number): number {
  let low = 0;
  let high = side.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (side.offsetAt(side.order[middle] as number) < offset) low = middle + 1;
    else high = middle;
  }
  return low < side.count ? side.typeCodeAt(side.order[low] as number) : -1;
}
