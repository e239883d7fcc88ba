import { LRUCache } from "lru-cache";
import type { GitObject } from "../format/object-type.ts";
import { FileCache, type FilesOfKind } from "./file-cache.ts";
import { BlockWithoutBlobs, type HeldBlock, WholeBlock } from "./held-block.ts";
import { type PackEntry, type PackFiles, sideKey } from "./pack-files.ts";
import { SideFile } from "./side-file.ts";

/** Bounds of the caches, in bytes. */
export interface PackCacheBounds {
  /** Side files; in the process's caches the layers of commit graphs, too (`FileCacheBounds`). */
  fileBytes: number;
  idleFileBytes: number;
  blockBytes: number;
  /** The bytes of commits and trees kept when their blocks go. */
  linkBytes: number;
  baseBytes: number;
}

/** The bounds of the process-wide caches. */
const defaultPackCacheBounds: PackCacheBounds = {
  fileBytes: 128 * 2 ** 20,
  idleFileBytes: 32 * 2 ** 20,
  blockBytes: 16 * 2 ** 20,
  linkBytes: 32 * 2 ** 20,
  baseBytes: 16 * 2 ** 20,
};

/** The pack's id in the key of one of its blocks. */
const packOf = (key: string): string => key.slice(0, key.lastIndexOf(":"));

/** Packs are cached in blocks of this size; the last one of a pack is shorter. */
export const packBlockBytes = 2 ** 20;

/**
 * Side files, blocks of packs, and inflated objects that serve as delta bases. All keys name immutable things, so
 * nothing is ever invalidated; concurrent requests for one thing fetch it once.
 */
export class PackCaches {
  private readonly blocks: LRUCache<string, WholeBlock>;
  private readonly links: LRUCache<string, BlockWithoutBlobs>;
  readonly bases: LRUCache<string, GitObject>;
  /** Files held whole. */
  readonly files: FileCache;
  private readonly sides: FilesOfKind<SideFile>;
  private readonly loadingSides = new Map<string, Promise<SideFile>>();
  /** Blocks on their way. */
  readonly loadingBlocks = new Map<string, Promise<WholeBlock>>();

  private readonly shared: PackCaches | undefined;

  /** It reads from `shared` what is there, without counting as a use. */
  constructor(bounds: Partial<PackCacheBounds> = {}, shared?: PackCaches) {
    this.shared = shared;
    const { fileBytes, idleFileBytes, blockBytes, linkBytes, baseBytes } = {
      ...defaultPackCacheBounds,
      ...bounds,
    };
    this.files = new FileCache({ mostBytes: fileBytes, idleBytes: idleFileBytes });
    this.sides = this.files.ofKind();
    this.blocks = new LRUCache({
      maxSize: blockBytes,
      sizeCalculation: (block) => block.byteLength,
      dispose: (block, key, reason) => {
        if (reason === "evict") this.keepPart(key, block, this.sides.peek(packOf(key)));
      },
    });
    this.links = new LRUCache({ maxSize: linkBytes, sizeCalculation: (block) => block.byteLength });
    this.bases = new LRUCache({
      maxSize: baseBytes,
      maxEntrySize: Math.ceil(baseBytes / 8),
      sizeCalculation: (object) => object.data.length + 128,
    });
  }

  /** The part of a block in memory: all of it, or all but its blobs. */
  block(key: string): HeldBlock | undefined {
    return this.blocks.get(key) ?? this.links.get(key) ?? this.shared?.peek(key);
  }

  private peek(key: string): HeldBlock | undefined {
    return this.blocks.peek(key) ?? this.links.peek(key);
  }

  /** Bytes held of blocks. */
  get blockMemory(): number {
    return this.blocks.calculatedSize + this.links.calculatedSize;
  }

  /** Keeps a block that came from the store. */
  keepBlock(key: string, block: WholeBlock): void {
    this.sides.get(packOf(key)); // the pack is at work
    this.blocks.set(key, block);
  }

  /**
   * Keeps it without its blobs. Walks return to commits and trees again and again: they outlast the blobs around them.
   */
  keepLinks(key: string, block: WholeBlock): void {
    this.keepPart(key, block, this.sides.get(packOf(key)));
  }

  private keepPart(key: string, block: WholeBlock, side: SideFile | undefined): void {
    if (side === undefined || this.links.has(key)) return;
    const links = new BlockWithoutBlobs(block, side);
    if (links.byteLength > 0) this.links.set(key, links);
  }

  /** A pack's side file, from memory or its store. Throws when it is absent, damaged, or of another size. */
  side(files: PackFiles, entry: PackEntry): Promise<SideFile> {
    const known = this.sides.get(entry.id) ?? this.shared?.sides.peek(entry.id);
    if (known !== undefined) return Promise.resolve(known);
    return once(this.loadingSides, entry.id, async () => {
      const side = new SideFile(await files.get(sideKey(entry)));
      if (side.packBytes !== entry.packBytes || side.count !== entry.objects) {
        throw new Error(`side file of pack ${entry.id} is of another pack`);
      }
      this.sides.set(entry.id, side);
      return side;
    });
  }

  /**
   * Keeps the side file of a pack that was just stored, and the pack if it is one block, so that nobody fetches them.
   */
  remember(id: string, side: SideFile, pack?: Uint8Array): void {
    this.sides.set(id, side);
    if (pack === undefined || pack.byteLength > packBlockBytes) return;
    const bytes = Buffer.from(pack.buffer, pack.byteOffset, pack.byteLength);
    this.keepBlock(`${id}:0`, new WholeBlock(bytes, 0));
  }

  /** Forgets everything, like an instance that has just started. For tests. */
  clear(): void {
    for (const cache of [this.blocks, this.links, this.bases, this.files]) cache.clear();
  }
}

/** Runs `work` unless it is running for this key; all callers get the same answer. */
export function once<T>(running: Map<string, Promise<T>>, key: string, work: () => Promise<T>): Promise<T> {
  const known = running.get(key);
  if (known !== undefined) return known;
  const promise = work().finally(() => running.delete(key));
  running.set(key, promise);
  return promise;
}

/** The caches of this process. */
export const processPackCaches = new PackCaches();
