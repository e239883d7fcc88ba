import { Readable } from "node:stream";
import { createInflate } from "node:zlib";
import { manySteps, Pacer } from "../../concurrency/pacer.ts";
import { type GitObject, typeOfCode } from "../format/object-type.ts";
import { BlockReader } from "./block-reader.ts";
import { buildEntry, buildEntryPaced, type Pace, type StoredEntry } from "./entry-builder.ts";
import { emptyEntryHeader, readEntryHeader } from "./entry-header.ts";
import { linksIn, type PackRange } from "./held-block.ts";
import { type PackCaches, packBlockBytes } from "./pack-caches.ts";
import type { PackEntry, PackFiles } from "./pack-files.ts";
import type { SideFile } from "./side-file.ts";

const header = emptyEntryHeader();
/** Blocks of a pack that one read holds at a time. */
const heldBlocks = 64;
/** Bytes of a chain's objects that are made without letting others run. */
const mostAtOnce = 4 * 2 ** 20;
/** Entries with more bytes count as many steps. */
const fewBytes = 16 * 1024;

/** Objects of one pack, by their position in its side file. */
export class PackReader {
  readonly entry: PackEntry;
  readonly side: SideFile;
  readonly blocks: BlockReader;
  private readonly caches: PackCaches;

  constructor(files: PackFiles, entry: PackEntry, side: SideFile, caches: PackCaches) {
    this.entry = entry;
    this.side = side;
    this.caches = caches;
    this.blocks = new BlockReader(files, entry, caches);
  }

  private keyOf(position: number): string {
    return `${this.entry.id}:${position}`;
  }

  /** The place of an entry's bytes. */
  rangeOf(position: number): PackRange {
    return { start: this.side.offsetAt(position), end: this.side.endAt(position) };
  }

  /** Whether a block holds anything but blobs. */
  hasLinks(block: number): boolean {
    const start = block * packBlockBytes;
    return linksIn(this.side, start, start + packBlockBytes).next().done !== true;
  }

  /**
   * The entries that make an object: itself first, then base by base down to a whole one, or to the one whose base is
   * in memory.
   */
  chainOf(position: number): number[] {
    const chain: number[] = [];
    for (let at = position; at >= 0; at = this.side.baseAt(at)) {
      if (chain.length > this.side.count) throw this.damaged(position);
      if (this.caches.bases.has(this.keyOf(at))) break;
      chain.push(at);
    }
    return chain;
  }

  /** The object, if every needed byte is in memory and making it takes only a moment. */
  readCached(position: number): GitObject | undefined {
    const known = this.caches.bases.get(this.keyOf(position));
    if (known !== undefined) return known;
    const chain = this.chainOf(position);
    const entries: Buffer[] = [];
    let work = 0;
    for (const at of chain) {
      work += this.side.sizeAt(at);
      const bytes = work > mostAtOnce ? undefined : this.blocks.cached(this.rangeOf(at));
      if (bytes === undefined) return undefined;
      entries.push(bytes);
    }
    const plan = this.planOf(position, chain);
    if (plan === undefined) return this.caches.bases.get(this.keyOf(position));
    let data = plan.base;
    for (let i = plan.from; i >= 0; i--) {
      data = this.checked(position, buildEntry(this.entryAt(chain[i] as number, entries[i] as Buffer, data)));
      this.keepBase(plan, chain, i, data);
    }
    return { type: plan.type, data: data as Buffer };
  }

  /** Objects in the order asked for. The bytes fetched for them are held in parts, however far their chains reach. */
  async read(positions: readonly number[], pace: Pace = ownPace()): Promise<GitObject[]> {
    if (this.entry.packBytes <= heldBlocks * packBlockBytes) return this.readGroup(positions, pace);
    const objects: GitObject[] = [];
    let group: number[] = [];
    let blocks = new Set<number>();
    for (const position of positions) {
      const own = this.blocks.blocksOf(this.chainOf(position).map((at) => this.rangeOf(at)));
      if (group.length > 0 && blocks.size + own.length > heldBlocks) {
        objects.push(...(await this.readGroup(group, pace)));
        group = [];
        blocks = new Set();
      }
      if (own.length > heldBlocks) objects.push(await this.readInPieces(position, pace));
      else {
        group.push(position);
        for (const block of own) blocks.add(block);
      }
    }
    objects.push(...(await this.readGroup(group, pace)));
    return objects;
  }

  /** An object whose chain is too long for memory: made from its base on, a few entries at a time. */
  private async readInPieces(position: number, pace: Pace): Promise<GitObject> {
    const type = typeOfCode(this.side.typeCodeAt(position));
    if (type === undefined) throw this.damaged(position);
    const chain: number[] = [];
    let data: Buffer | undefined;
    for (let at = position; at >= 0 && data === undefined; at = this.side.baseAt(at)) {
      data = this.caches.bases.get(this.keyOf(at))?.data;
      if (data === undefined) chain.push(at);
    }
    for (let end = chain.length; end > 0; ) {
      let start = end;
      for (const blocks = new Set<number>(); start > 0; start--) {
        const more = this.blocks.blocksOf([this.rangeOf(chain[start - 1] as number)]);
        if (start < end && blocks.size + more.length > heldBlocks / 4) break;
        for (const block of more) blocks.add(block);
      }
      const entries = await this.blocks.read(chain.slice(start, end).map((at) => this.rangeOf(at)));
      for (let at = end - 1; at >= start; at--) {
        const pause = pace(manySteps);
        if (pause !== undefined) await pause;
        const entry = this.entryAt(chain[at] as number, entries[at - start] as Buffer, data);
        data = this.checked(position, await buildEntryPaced(entry, pace));
      }
      end = start;
    }
    return { type, data: data as Buffer };
  }

  private async readGroup(positions: readonly number[], pace: Pace): Promise<GitObject[]> {
    const chains: number[][] = [];
    for (const position of positions) {
      const pause = pace(chains.push(this.chainOf(position)));
      if (pause !== undefined) await pause;
    }
    const wanted = [...new Set(chains.flat())];
    const bytes = await this.blocks.read(wanted.map((position) => this.rangeOf(position)));
    const entries = new Map(wanted.map((position, number) => [position, bytes[number] as Buffer]));
    const objects: GitObject[] = [];
    for (const [number, position] of positions.entries()) {
      const known = this.caches.bases.get(this.keyOf(position));
      objects.push(known ?? (await this.buildFrom(position, chains[number] as number[], entries, pace)));
    }
    return objects;
  }

  private async buildFrom(
    position: number,
    chain: readonly number[],
    entries: ReadonlyMap<number, Buffer>,
    pace: Pace,
  ): Promise<GitObject> {
    const held = chain.map((at) => entries.get(at) as Buffer);
    const object = await this.build(position, chain, held, pace);
    if (object !== undefined) return object;
    // The base that the chain counted on has left the cache meanwhile.
    const whole: number[] = [];
    for (let at = position; at >= 0; at = this.side.baseAt(at)) whole.push(at);
    const all = await this.blocks.read(whole.map((at) => this.rangeOf(at)));
    const built = await this.build(position, whole, all, pace);
    if (built === undefined) throw this.damaged(position);
    return built;
  }

  /** Makes an object from its chain; undefined when the chain's last base should be in memory and is not. */
  private async build(
    position: number,
    chain: readonly number[],
    entries: readonly Buffer[],
    pace: Pace,
  ): Promise<GitObject | undefined> {
    const plan = this.planOf(position, chain);
    if (plan === undefined) return this.caches.bases.get(this.keyOf(position));
    let data = plan.base;
    let [spare, isOwn]: [Buffer | undefined, boolean] = [undefined, false];
    for (let i = plan.from; i >= 0; i--) {
      const entry = this.entryAt(chain[i] as number, entries[i] as Buffer, data);
      const pause = pace(entry.size > fewBytes ? manySteps : 1); // before: many may have waited for the same bytes
      if (pause !== undefined) await pause;
      const built = this.checked(position, await buildEntryPaced(entry, pace, spare));
      spare = isOwn ? data : undefined;
      isOwn = !this.keepBase(plan, chain, i, built);
      data = built;
    }
    return { type: plan.type, data: data as Buffer };
  }

  /**
   * From which entry of its chain an object is made, and on which base; undefined when it is in memory itself, or when
   * its last base should be there and is not.
   */
  private planOf(position: number, chain: readonly number[]): BuildPlan | undefined {
    const type = typeOfCode(this.side.typeCodeAt(position));
    if (type === undefined || chain.length === 0) return undefined;
    for (const [from, at] of chain.entries()) {
      const base = this.side.baseAt(at);
      const data = base < 0 ? undefined : this.caches.bases.get(this.keyOf(base))?.data;
      if (data !== undefined) return { type, from, base: data };
    }
    const from = chain.length - 1;
    return this.side.baseAt(chain[from] as number) < 0 ? { type, from, base: undefined } : undefined;
  }

  /** Bases are read again for the next delta; blobs at a chain's end are not. False for objects that are not kept. */
  private keepBase({ type }: BuildPlan, chain: readonly number[], at: number, data: Buffer): boolean {
    const key = this.keyOf(chain[at] as number);
    if (at > 0 || type !== "blob") this.caches.bases.set(key, { type, data });
    return this.caches.bases.has(key);
  }

  private entryAt(position: number, bytes: Buffer, base: Buffer | undefined): StoredEntry {
    return { bytes, base, size: this.side.sizeAt(position), idBytes: this.side.index.idBytes };
  }

  private checked(position: number, built: Buffer | undefined): Buffer {
    if (built === undefined) throw this.damaged(position);
    return built;
  }

  /** The content of a whole object in pieces, in bounded memory. Throws at the end when its size is wrong. */
  async *stream(position: number): AsyncGenerator<Buffer> {
    const { start, end } = this.rangeOf(position);
    const [head] = await this.blocks.read([{ start, end: Math.min(end, start + 16) }]);
    const outcome = readEntryHeader(
      header,
      head as Buffer,
      0,
      (head as Buffer).length,
      this.side.index.idBytes,
    );
    if (outcome !== "ok") throw this.damaged(position);
    const deflated = this.blocks.stream({ start: start + header.dataAt, end });
    const inflate = createInflate({ chunkSize: 128 * 1024 });
    const input = Readable.from(deflated, { objectMode: false });
    input.on("error", (error) => inflate.destroy(error)).pipe(inflate);
    let size = 0;
    try {
      for await (const piece of inflate as AsyncIterable<Buffer>) {
        size += piece.length;
        yield piece;
      }
    } finally {
      input.destroy();
    }
    if (size !== this.side.sizeAt(position)) throw this.damaged(position);
  }

  private damaged(position: number): Error {
    return new Error(
      `object ${this.side.idAt(position).toString("hex")} in pack ${this.entry.id} is damaged`,
    );
  }
}

/** How an object is made: the entries of its chain from one on, down to its own. */
interface BuildPlan {
  readonly type: GitObject["type"];
  readonly from: number;
  readonly base: Buffer | undefined;
}

function ownPace(): Pace {
  const pacer = new Pacer();
  return (steps) => (pacer.isDue(steps) ? pacer.pause() : undefined);
}
