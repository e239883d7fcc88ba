import { closeSync, fstatSync, ftruncateSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { asSpaceFailure } from "../ingest-error.ts";

const blockBytes = 64 * 1024;
const largestCache = 32 * 2 ** 20;

/**
 * A pack's bytes in a temporary file: written at the end, read anywhere through a direct-mapped cache of 64 KiB blocks.
 * It is synchronous, because an ingest runs on a thread of its own.
 */
export class Spool {
  readonly path: string;
  size = 0;
  private readonly file: number;
  private cache: Buffer = Buffer.alloc(0);
  private cachedBlocks = new Int32Array(0);
  private straddling: Buffer = Buffer.alloc(0);

  private constructor(path: string, flags: "wx+" | "r+") {
    this.path = path;
    this.file = openSync(path, flags, 0o600);
    this.size = fstatSync(this.file).size;
  }

  /** Makes an empty file; it must not exist. */
  static create(path: string): Spool {
    return new Spool(path, "wx+");
  }

  /** Takes over a file that exists. */
  static open(path: string): Spool {
    return new Spool(path, "r+");
  }

  /** Adds bytes at the end. Throws a `no-space` refusal when the disk is full. */
  append(bytes: Uint8Array): void {
    const delta = Math.floor(this.size / blockBytes);
    if (this.cachedBlocks.length > 0) this.cachedBlocks[delta % this.cachedBlocks.length] = -1;
    this.writeAt(bytes, this.size);
    this.size += bytes.length;
  }

  /** Overwrites bytes that are not read through the cache any more. */
  writeAt(bytes: Uint8Array, position: number): void {
    try {
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(this.file, bytes, done, bytes.length - done, position + done);
      }
    } catch (error) {
      throw asSpaceFailure(error);
    }
  }

  /** Cuts the file off. */
  truncate(size: number): void {
    ftruncateSync(this.file, size);
    this.size = size;
    this.forget();
  }

  /** Empties the cache, and sizes it for the present file. */
  private forget(): void {
    const slots = Math.max(1, Math.min(largestCache, this.size) / blockBytes);
    this.cache = Buffer.allocUnsafeSlow(Math.ceil(slots) * blockBytes);
    this.cachedBlocks = new Int32Array(Math.ceil(slots)).fill(-1);
  }

  /** Makes [start, end) readable: returns its place in `view`, valid until the next call. */
  load(start: number, end: number): number {
    const first = Math.floor(start / blockBytes);
    const last = Math.floor((end - 1) / blockBytes);
    if (first === last) {
      this.view = this.cache;
      return this.loadBlock(first) + (start - first * blockBytes);
    }
    const length = end - start;
    if (this.straddling.length < length)
      this.straddling = Buffer.allocUnsafeSlow(Math.max(length * 2, blockBytes));
    this.view = this.straddling;
    if (last - first > 4) {
      this.readInto(this.straddling, 0, start, length);
      return 0;
    }
    for (let block = first, done = 0; block <= last; block++) {
      const from = block === first ? start - first * blockBytes : 0;
      const to = Math.min(blockBytes, end - block * blockBytes);
      const at = this.loadBlock(block);
      this.cache.copy(this.straddling, done, at + from, at + to);
      done += to - from;
    }
    return 0;
  }

  /** Holds the bytes that `load` made readable. */
  view: Buffer = this.cache;

  private loadBlock(block: number): number {
    if (this.cachedBlocks.length === 0) this.forget();
    const slot = block % this.cachedBlocks.length;
    if (this.cachedBlocks[slot] !== block) {
      const start = block * blockBytes;
      this.readInto(this.cache, slot * blockBytes, start, Math.min(blockBytes, this.size - start));
      this.cachedBlocks[slot] = block;
      if (this.view.length === 0) this.view = this.cache;
    }
    return slot * blockBytes;
  }

  /** Reads exactly, past the cache. */
  readInto(target: Buffer, at: number, position: number, length: number): void {
    for (let done = 0; done < length; ) {
      const count = readSync(this.file, target, at + done, length - done, position + done);
      if (count === 0) throw new Error("the spooled pack is shorter than what was written");
      done += count;
    }
  }

  /** Lets go of the file descriptor; the file stays. */
  close(): void {
    closeSync(this.file);
  }

  /** Closes and deletes. */
  remove(): void {
    this.close();
    rmSync(this.path, { force: true });
  }
}
