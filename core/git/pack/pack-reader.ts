import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { createInflate } from "node:zlib";
import { type GitObject, typeCodes, typeOfCode } from "../object/object-type.ts";
import { BlockReader } from "./block-reader.ts";
import { applyDelta, readDeltaHeader } from "./delta.ts";
import { emptyEntryHeader, readEntryHeader } from "./entry-header.ts";
import { linksIn, type PackRange } from "./held-block.ts";
import { threadInflater } from "./inflate.ts";
import { type PackCaches, packBlockBytes } from "./pack-caches.ts";
import type { PackEntry, PackFiles } from "./pack-files.ts";
import type { SideFile } from "./side-file.ts";

const header = emptyEntryHeader();
let deltaScratch: Buffer | undefined;
const largeDelta = 2 ** 20;
/** Blocks of a pack that one read holds at a time. */
const heldBlocks = 64;

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

  /** Where an entry's bytes lie. */
  rangeOf(position: number): PackRange {
    return { start: this.side.offsetAt(position), end: this.side.endAt(position) };
  }

  /** Whether a block has anything in it but blobs. */
  hasLinks(block: number): boolean {
    const start = block * packBlockBytes;
    return linksIn(this.side, start, start + packBlockBytes).next().done !== true;
  }

  /**
   * The entries that make an object: itself first, then base by base down to a whole one, or to the one whose base
   * is in memory.
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

  /** The object if every byte needed is in memory. */
  readCached(position: number): GitObject | undefined {
    const known = this.caches.bases.get(this.keyOf(position));
    if (known !== undefined) return known;
    const chain = this.chainOf(position);
    const entries: Buffer[] = [];
    for (const at of chain) {
      const bytes = this.blocks.cached(this.rangeOf(at));
      if (bytes === undefined) return undefined;
      entries.push(bytes);
    }
    return this.build(position, chain, entries);
  }

  /** Objects in the order asked for. What is fetched for them is held in parts, however far their chains reach. */
  async read(positions: readonly number[]): Promise<GitObject[]> {
    if (this.entry.packBytes <= heldBlocks * packBlockBytes) return this.readGroup(positions);
    const objects: GitObject[] = [];
    let group: number[] = [];
    let blocks = new Set<number>();
    for (const position of positions) {
      const own = this.blocks.blocksOf(this.chainOf(position).map((at) => this.rangeOf(at)));
      if (group.length > 0 && blocks.size + own.length > heldBlocks) {
        objects.push(...(await this.readGroup(group)));
        group = [];
        blocks = new Set();
      }
      if (own.length > heldBlocks) objects.push(await this.readInPieces(position));
      else {
        group.push(position);
        for (const block of own) blocks.add(block);
      }
    }
    objects.push(...(await this.readGroup(group)));
    return objects;
  }

  /** An object whose chain is too long to be held: made from its base on, a few entries at a time. */
  private async readInPieces(position: number): Promise<GitObject> {
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
        data = this.buildEntry(chain[at] as number, entries[at - start] as Buffer, data);
      }
      end = start;
      await setImmediate();
    }
    return { type, data: data as Buffer };
  }

  private async readGroup(positions: readonly number[]): Promise<GitObject[]> {
    const chains = positions.map((position) => this.chainOf(position));
    const wanted = [...new Set(chains.flat())];
    const bytes = await this.blocks.read(wanted.map((position) => this.rangeOf(position)));
    const entries = new Map(wanted.map((position, number) => [position, bytes[number] as Buffer]));
    const objects: GitObject[] = [];
    for (const [number, position] of positions.entries()) {
      const known = this.caches.bases.get(this.keyOf(position));
      objects.push(known ?? (await this.buildFrom(position, chains[number] as number[], entries)));
    }
    return objects;
  }

  private async buildFrom(
    position: number,
    chain: readonly number[],
    entries: ReadonlyMap<number, Buffer>,
  ): Promise<GitObject> {
    const object = this.build(
      position,
      chain,
      chain.map((at) => entries.get(at) as Buffer),
    );
    if (object !== undefined) return object;
    // The base that the chain counted on has left the cache meanwhile.
    const whole: number[] = [];
    for (let at = position; at >= 0; at = this.side.baseAt(at)) whole.push(at);
    const built = this.build(position, whole, await this.blocks.read(whole.map((at) => this.rangeOf(at))));
    if (built === undefined) throw this.damaged(position);
    return built;
  }

  /** Makes an object from its chain; undefined when the chain's last base was to be in memory and is not. */
  private build(
    position: number,
    chain: readonly number[],
    entries: readonly Buffer[],
  ): GitObject | undefined {
    const type = typeOfCode(this.side.typeCodeAt(position));
    const last = chain.at(-1);
    if (type === undefined || last === undefined) return this.caches.bases.get(this.keyOf(position));
    let from = chain.length - 1;
    let data: Buffer | undefined;
    for (const [number, at] of chain.entries()) {
      const base = this.side.baseAt(at);
      data = base < 0 ? undefined : this.caches.bases.get(this.keyOf(base))?.data;
      if (data === undefined) continue;
      from = number;
      break;
    }
    if (data === undefined && this.side.baseAt(last) >= 0) return undefined;
    for (let i = from; i >= 0; i--) {
      const at = chain[i] as number;
      data = this.buildEntry(at, entries[i] as Buffer, data);
      // Bases are read again for the next delta; blobs at a chain's end are not.
      if (i > 0 || type !== "blob") this.caches.bases.set(this.keyOf(at), { type, data });
    }
    return { type, data: data as Buffer };
  }

  private buildEntry(position: number, bytes: Buffer, base: Buffer | undefined): Buffer {
    const outcome = readEntryHeader(header, bytes, 0, bytes.length, this.side.index.idBytes);
    if (outcome !== "ok" || header.code > typeCodes.tag !== (base !== undefined))
      throw this.damaged(position);
    const size = this.side.sizeAt(position);
    if (base === undefined) {
      if (header.size !== size) throw this.damaged(position);
      const target = Buffer.allocUnsafe(size + 1);
      this.inflate(position, bytes, target);
      return target.subarray(0, size);
    }
    const deltaSize = header.size;
    const delta = roomForDelta(deltaSize);
    this.inflate(position, bytes, delta);
    const sizes = readDeltaHeader(delta, 0, deltaSize);
    if (sizes?.baseSize !== base.length || sizes.resultSize !== size) throw this.damaged(position);
    const target = Buffer.allocUnsafe(size);
    const isApplied = applyDelta(
      { bytes: delta, start: sizes.at, end: deltaSize },
      { bytes: base, start: 0, end: base.length },
      { bytes: target, start: 0, end: size },
    );
    if (!isApplied) throw this.damaged(position);
    return target;
  }

  private inflate(position: number, bytes: Buffer, target: Buffer): void {
    const taken = threadInflater()(bytes, header.dataAt, bytes.length, target, 0, header.size);
    if (taken < 0) throw this.damaged(position);
  }

  /** The content of a whole object in pieces, in bounded memory. Throws at the end when its size is not right. */
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

/** One buffer serves all deltas but the rare large ones. */
function roomForDelta(size: number): Buffer {
  if (size >= largeDelta) return Buffer.allocUnsafeSlow(size + 1);
  deltaScratch ??= Buffer.allocUnsafeSlow(largeDelta);
  return deltaScratch;
}
