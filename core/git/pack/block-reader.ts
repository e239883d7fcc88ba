import { once, type PackCaches, packBlockBytes } from "./pack-caches.ts";
import { type PackEntry, type PackFiles, packKey } from "./pack-files.ts";

/** Neighboring blocks are fetched as one range of at most this many. */
const blocksPerRange = 8;
/** Ranges longer than this are fetched for themselves, past the cache. */
const longRange = 4 * packBlockBytes;

const isLong = ({ start, end }: PackRange): boolean => end - start > longRange;

/** Part of a pack that is wanted. */
export interface PackRange {
  start: number;
  end: number;
}

/** Bytes of one pack, through the block cache. */
export class BlockReader {
  private readonly files: PackFiles;
  private readonly entry: PackEntry;
  private readonly caches: PackCaches;

  constructor(files: PackFiles, entry: PackEntry, caches: PackCaches) {
    this.files = files;
    this.entry = entry;
    this.caches = caches;
  }

  private keyOf(block: number): string {
    return `${this.entry.id}:${block}`;
  }

  /** The bytes if all their blocks are in memory. */
  cached(range: PackRange): Buffer | undefined {
    if (isLong(range)) return undefined;
    return this.assemble(range, (block) => this.caches.blocks.get(this.keyOf(block)));
  }

  /** The bytes of each range, fetching what is missing with neighbors joined. */
  async read(ranges: readonly PackRange[]): Promise<Buffer[]> {
    const blocks = new Map<number, Promise<Buffer>>();
    const missing: number[] = [];
    for (const number of this.blocksOf(ranges.filter((range) => !isLong(range)))) {
      const key = this.keyOf(number);
      const known = this.caches.blocks.get(key);
      const loading = known === undefined ? this.caches.loadingBlocks.get(key) : Promise.resolve(known);
      if (loading === undefined) missing.push(number);
      else blocks.set(number, loading);
    }
    for (const run of runsOf(missing)) this.fetchRun(run, blocks);
    const loaded = new Map<number, Buffer>();
    for (const [number, bytes] of await settled(blocks)) loaded.set(number, bytes);
    return Promise.all(
      ranges.map((range) => this.assemble(range, (n) => loaded.get(n)) ?? this.readLong(range)),
    );
  }

  /** The blocks in which ranges lie, each once, in their order. */
  blocksOf(ranges: readonly PackRange[]): number[] {
    const numbers = new Set<number>();
    for (const { start, end } of ranges) {
      for (let block = Math.floor(start / packBlockBytes); block * packBlockBytes < end; block++)
        numbers.add(block);
    }
    return [...numbers].sort((left, right) => left - right);
  }

  private fetchRun(run: readonly number[], blocks: Map<number, Promise<Buffer>>): void {
    const first = run[0] as number;
    const start = first * packBlockBytes;
    const end = Math.min(this.entry.packBytes, start + run.length * packBlockBytes);
    const whole = this.readLong({ start, end });
    for (const number of run) {
      const at = (number - first) * packBlockBytes;
      const block = once(this.caches.loadingBlocks, this.keyOf(number), async () => {
        const range = await whole;
        // A copy, so that a block that stays does not keep its neighbors.
        const bytes = run.length === 1 ? range : Buffer.from(range.subarray(at, at + packBlockBytes));
        this.caches.blocks.set(this.keyOf(number), bytes);
        return bytes;
      });
      blocks.set(number, block);
    }
  }

  private async readLong({ start, end }: PackRange): Promise<Buffer> {
    const bytes = await this.files.read(packKey(this.entry), start, end);
    if (bytes.length !== end - start)
      throw new Error(`pack ${this.entry.id} is shorter than its side file says`);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** The same bytes in pieces, past the cache. */
  stream({ start, end }: PackRange): AsyncIterable<Uint8Array> {
    return this.files.stream(packKey(this.entry), start, end);
  }

  private assemble(range: PackRange, blockOf: (number: number) => Buffer | undefined): Buffer | undefined {
    const { start, end } = range;
    const first = Math.floor(start / packBlockBytes);
    const last = Math.floor((end - 1) / packBlockBytes);
    const head = blockOf(first);
    if (head === undefined) return undefined;
    const from = start - first * packBlockBytes;
    if (first === last) return head.subarray(from, from + end - start);
    const parts = [head.subarray(from)];
    for (let number = first + 1; number <= last; number++) {
      const block = blockOf(number);
      if (block === undefined) return undefined;
      parts.push(number === last ? block.subarray(0, end - last * packBlockBytes) : block);
    }
    return Buffer.concat(parts);
  }
}

function runsOf(numbers: readonly number[]): number[][] {
  const runs: number[][] = [];
  for (const number of numbers) {
    const run = runs.at(-1);
    if (run !== undefined && run.at(-1) === number - 1 && run.length < blocksPerRange) run.push(number);
    else runs.push([number]);
  }
  return runs;
}

/** Waits for all, also when one fails: no rejection is left unheard. */
async function settled<K, V>(promises: Map<K, Promise<V>>): Promise<[K, V][]> {
  const outcomes = await Promise.allSettled(promises.values());
  const keys = [...promises.keys()];
  return outcomes.map((outcome, number) => {
    if (outcome.status === "rejected") throw outcome.reason;
    return [keys[number] as K, outcome.value];
  });
}
