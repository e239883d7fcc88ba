import type { BlockReader } from "./block-reader.ts";
import type { PackRange } from "./held-block.ts";

/** Up to this many unwanted bytes are read and dropped instead of split into another request. */
const bridgedGap = 256 * 1024;

/** Reads wanted ranges of a pack front to back with as few range requests as make sense. */
export class RangeCursor {
  private readonly blocks: BlockReader;
  private readonly regions: PackRange[];
  private next = 0;
  private source: AsyncIterator<Uint8Array> | undefined;
  private chunk: Buffer = Buffer.alloc(0);
  /** The start of `chunk` in the pack. */
  private chunkAt = 0;

  /** `ranges` must be sorted and must not overlap. */
  constructor(blocks: BlockReader, ranges: Iterable<PackRange>) {
    this.blocks = blocks;
    this.regions = [];
    for (const { start, end } of ranges) {
      const last = this.regions.at(-1);
      if (last !== undefined && start - last.end <= bridgedGap) last.end = end;
      else this.regions.push({ start, end });
    }
  }

  /** Some bytes from `start` on, at most up to `end`; callers ask in rising order. */
  async some(start: number, end: number): Promise<Buffer> {
    while (start >= this.chunkAt + this.chunk.length) await this.advance(start);
    const from = start - this.chunkAt;
    if (from < 0) throw new Error(`offset ${start} was passed already`);
    return this.chunk.subarray(from, Math.min(this.chunk.length, from + end - start));
  }

  /** Exactly [start, end) of one range, which may be asked for again: for the short starts of entries. */
  async peek(start: number, end: number): Promise<Buffer> {
    let bytes = await this.some(start, end);
    while (bytes.length < end - start) {
      const rest = this.chunk.subarray(start - this.chunkAt);
      await this.advance(start + rest.length);
      this.chunk = Buffer.concat([rest, this.chunk]);
      this.chunkAt = start;
      bytes = this.chunk.subarray(0, end - start);
    }
    return bytes;
  }

  private async advance(wanted: number): Promise<void> {
    const result = await this.source?.next();
    if (result !== undefined && result.done !== true) {
      this.chunkAt += this.chunk.length;
      const bytes = result.value;
      this.chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      return;
    }
    const region = this.regions[this.next++];
    if (region === undefined) throw new Error(`a pack ended before its offset ${wanted}`);
    this.source = this.blocks.stream(region)[Symbol.asyncIterator]();
    this.chunkAt = region.start;
    this.chunk = Buffer.alloc(0);
  }

  /** Lets go of the request under way. */
  async close(): Promise<void> {
    await this.source?.return?.();
  }
}
