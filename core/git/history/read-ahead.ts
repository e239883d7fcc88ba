import { packBlockBytes } from "../pack/pack-caches.ts";
import type { PackReader } from "../pack/pack-reader.ts";
import { type PackSet, type Place, packOfPlace, positionOfPlace } from "../pack/pack-set.ts";

const mostBlocks = 8;

/** How a walk gets objects that are not in memory. */
export interface ReadAhead {
  /** Await it before reading an object that is not in memory. */
  fetch(place: Place): Promise<void>;
}

/** The numbers 1, 2, 4, 8, 8 … for the misses of one kind. */
class Growing {
  readonly #counts = new Map<string, number>();

  next(key: string): number {
    const count = this.#counts.get(key) ?? 1;
    this.#counts.set(key, Math.min(count * 2, mostBlocks));
    return count;
  }
}

/**
 * Fetches the blocks that a walk is likely to need next. Git stores commits together, then trees, each about newest
 * first, so a walk with repeated misses reads on in the pack: the following blocks, as far as they begin with objects
 * of the same kind, one at first and up to 8 (one request) as the misses repeat.
 */
export class ReadOn implements ReadAhead {
  readonly #packs: PackSet;
  readonly #blocks = new Growing();

  constructor(packs: PackSet) {
    this.#packs = packs;
  }

  async fetch(place: Place): Promise<void> {
    const pack = packOfPlace(place);
    const reader = this.#packs.packs[pack] as PackReader;
    const position = positionOfPlace(place);
    const kind = reader.side.typeCodeAt(position);
    const count = this.#blocks.next(`${pack}:${kind}`);
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
  const rank = side.rankFrom(offset);
  return rank < side.count ? side.typeCodeAt(side.order[rank] as number) : -1;
}

/**
 * For walks that need nearly all commits and trees, in any order: trees stored as deltas lie among the blobs of the
 * whole pack. The blocks around a miss are fetched together and kept without their blobs, one block at first and up to
 * 8 as the misses repeat; nothing is fetched so twice, in case it does not all stay in memory.
 */
export class ReadAll implements ReadAhead {
  readonly #packs: PackSet;
  readonly #blocks = new Growing();
  readonly #fetched = new Set<string>();

  constructor(packs: PackSet) {
    this.#packs = packs;
  }

  async fetch(place: Place): Promise<void> {
    const pack = packOfPlace(place);
    const reader = this.#packs.packs[pack] as PackReader;
    for (const entry of reader.chainOf(positionOfPlace(place))) {
      const range = reader.rangeOf(entry);
      for (const block of reader.blocks.blocksOf([range])) {
        if (reader.blocks.cached(range) !== undefined) break;
        await this.#fetchAround(pack, block);
      }
    }
  }

  async #fetchAround(pack: number, missed: number): Promise<void> {
    const reader = this.#packs.packs[pack] as PackReader;
    const count = this.#blocks.next(`${pack}`);
    const group = Math.floor(missed / count) * count;
    const isWanted = (block: number) =>
      block === missed || (!this.#fetched.has(`${pack}:${block}`) && reader.hasLinks(block));
    const wanted = Array.from({ length: count }, (_, at) => group + at).filter(isWanted);
    for (const block of wanted) this.#fetched.add(`${pack}:${block}`);
    await reader.blocks.fetchLinks(wanted[0] as number, wanted.at(-1) as number);
  }
}
