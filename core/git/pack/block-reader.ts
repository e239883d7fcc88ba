import { type HeldBlock, type PackRange, WholeBlock } from "./held-block.ts";
import { once, type PackCaches, packBlockBytes } from "./pack-caches.ts";
import { type PackEntry, type PackFiles, packKey } from "./pack-files.ts";

/** Neighboring blocks are fetched as one range of at most this many. */
const blocksPerRange = 8;
/** Ranges longer than this are fetched for themselves, past the cache. */
const longRange = 4 * packBlockBytes;

const isLong = ({ start, end }: PackRange): boolean => end - start > longRange;

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
    return this.assemble(range, (block) => this.caches.block(this.keyOf(block)));
  }

  /** The bytes of each range; missing blocks are fetched, neighbors together. */
  async read(ranges: readonly PackRange[]): Promise<Buffer[]> {
    const held = new Map<number, HeldBlock>();
    const missing = new Set<number>();
    for (const { number, start, end } of ranges.filter((range) => !isLong(range)).flatMap(partsOf)) {
      const block = held.get(number) ?? this.caches.block(this.keyOf(number));
      if (block?.part(start, end) === undefined) missing.add(number);
      else held.set(number, block);
    }
    for (const [number, block] of await this.fetch(missing)) held.set(number, block);
    return Promise.all(
      ranges.map((range) => this.assemble(range, (n) => held.get(n)) ?? this.readLong(range)),
    );
  }

  /**
   * Reads the blocks from one to another, both included, and keeps them without their blobs. Each passes through the
   * same buffer, so that the small rest does not lie scattered over the memory of everything read.
   */
  async fetchLinks(first: number, last: number): Promise<void> {
    const start = first * packBlockBytes;
    const end = Math.min(this.entry.packBytes, (last + 1) * packBlockBytes);
    const room = Buffer.allocUnsafeSlow(Math.min(packBlockBytes, end - start));
    let [offset, filled] = [start, 0];
    for await (const piece of this.stream({ start, end })) {
      for (let done = 0; done < piece.length; ) {
        const length = Math.min(packBlockBytes, end - offset);
        const taken = Math.min(piece.length - done, length - filled);
        if (taken === 0) throw this.misread();
        room.set(piece.subarray(done, done + taken), filled);
        done += taken;
        filled += taken;
        if (filled < length) continue;
        const block = new WholeBlock(room.subarray(0, length), offset);
        this.caches.keepLinks(this.keyOf(offset / packBlockBytes), block);
        offset += length;
        filled = 0;
      }
    }
    if (offset !== end) throw this.misread();
  }

  /** Whole blocks, from the store or on their way already. */
  private fetch(numbers: ReadonlySet<number>): Promise<[number, WholeBlock][]> {
    const blocks = new Map<number, Promise<WholeBlock>>();
    const missing: number[] = [];
    for (const number of [...numbers].sort((left, right) => left - right)) {
      const loading = this.caches.loadingBlocks.get(this.keyOf(number));
      if (loading === undefined) missing.push(number);
      else blocks.set(number, loading);
    }
    for (const run of runsOf(missing)) this.fetchRun(run, blocks);
    return settled(blocks);
  }

  private fetchRun(run: readonly number[], blocks: Map<number, Promise<WholeBlock>>): void {
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
        const held = new WholeBlock(bytes, number * packBlockBytes);
        this.caches.keepBlock(this.keyOf(number), held);
        return held;
      });
      blocks.set(number, block);
    }
  }

  /** The blocks in which ranges lie, each once, in their order. */
  blocksOf(ranges: readonly PackRange[]): number[] {
    const numbers = new Set<number>();
    for (const range of ranges) for (const { number } of partsOf(range)) numbers.add(number);
    return [...numbers].sort((left, right) => left - right);
  }

  private misread(): Error {
    return new Error(`pack ${this.entry.id} is not as long as its side file says`);
  }

  private async readLong({ start, end }: PackRange): Promise<Buffer> {
    const bytes = await this.files.read(packKey(this.entry), start, end);
    if (bytes.length !== end - start) throw this.misread();
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /**
   * The same bytes in pieces: from memory if they are there, else past the cache. A pack of one block is kept: small
   * packs are recent pushes, and every fetch reads some of them.
   */
  async *stream(range: PackRange): AsyncGenerator<Uint8Array> {
    const held = this.cached(range);
    if (held !== undefined) yield held;
    else if (this.entry.packBytes <= packBlockBytes) yield* await this.read([range]);
    else yield* this.files.stream(packKey(this.entry), range.start, range.end);
  }

  private assemble(range: PackRange, blockOf: (number: number) => HeldBlock | undefined): Buffer | undefined {
    const first = Math.floor(range.start / packBlockBytes);
    const offset = first * packBlockBytes;
    if (range.end - offset <= packBlockBytes)
      return blockOf(first)?.part(range.start - offset, range.end - offset);
    const parts: Buffer[] = [];
    for (const { number, start, end } of partsOf(range)) {
      const part = blockOf(number)?.part(start, end);
      if (part === undefined) return undefined;
      parts.push(part);
    }
    return Buffer.concat(parts);
  }
}

/** The parts of blocks that a range covers; where it begins and ends in each. */
function partsOf({ start, end }: PackRange): (PackRange & { number: number })[] {
  const parts: (PackRange & { number: number })[] = [];
  for (let number = Math.floor(start / packBlockBytes); number * packBlockBytes < end; number++) {
    const offset = number * packBlockBytes;
    parts.push({
      number,
      start: Math.max(0, start - offset),
      end: Math.min(packBlockBytes, end - offset),
    });
  }
  return parts;
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
