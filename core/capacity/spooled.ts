import { createReadStream } from "node:fs";
import { open, readFile, rm } from "node:fs/promises";
import { partBytes } from "../blobs/multipart.ts";
import { readFully } from "../blobs/read-fully.ts";
import type { Blobs } from "../blobs.ts";

/** Counts memory during some work. */
export type WithMemory = <T>(bytes: number, work: () => Promise<T>) => Promise<T>;

/** The complete bytes of a caller: in memory when they are few, else in a temporary file. */
export class Spooled {
  readonly sizeBytes: number;
  readonly #content: { readonly bytes: Buffer } | { readonly path: string };
  readonly #withMemory: WithMemory;

  constructor(
    content: { readonly bytes: Buffer } | { readonly path: string },
    sizeBytes: number,
    withMemory: WithMemory,
  ) {
    this.sizeBytes = sizeBytes;
    this.#content = content;
    this.#withMemory = withMemory;
  }

  get isInMemory(): boolean {
    return "bytes" in this.#content;
  }

  /** All of it; code that reads a file this way counts the memory. */
  bytes(): Promise<Buffer> {
    return "bytes" in this.#content ? Promise.resolve(this.#content.bytes) : readFile(this.#content.path);
  }

  /** Its first bytes. */
  async sample(most: number): Promise<Buffer> {
    if ("bytes" in this.#content) return this.#content.bytes.subarray(0, most);
    const file = await open(this.#content.path);
    try {
      const first = Buffer.alloc(Math.min(most, this.sizeBytes));
      await readFully(file, 0, first);
      return first;
    } finally {
      await file.close();
    }
  }

  /** Piece by piece. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    if ("bytes" in this.#content) yield this.#content.bytes;
    else yield* createReadStream(this.#content.path) as AsyncIterable<Uint8Array>;
  }

  /** Puts it into the bucket, in parts when it is large. */
  async putTo(blobs: Blobs, key: string): Promise<void> {
    const content = this.#content;
    if ("bytes" in content) return blobs.put(key, content.bytes);
    await this.#withMemory(Math.min(this.sizeBytes, partBytes), () => blobs.putFile(key, content.path));
  }

  async remove(): Promise<void> {
    if ("path" in this.#content) await rm(this.#content.path, { force: true });
  }
}
