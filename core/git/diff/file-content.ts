import type { ObjectId } from "../format/object-format.ts";
import { gitlinkMode } from "../format/tree.ts";
import type { History } from "../history/history.ts";
import type { FileSide } from "./file-change.ts";

/** The content of a side of a change. For one that is too large to compare, only `size`. */
export type FileContent =
  | { readonly kind: "text" | "binary"; readonly data: Buffer }
  | { readonly kind: "large"; readonly size: number };

const nothing: FileContent = { kind: "text", data: Buffer.alloc(0) };
/** Git looks for a NUL in this much of a file to tell text from binary. */
const sampleBytes = 8_000;
const batchBytes = 8 * 2 ** 20;
const mostFetched = 32 * 2 ** 20;

/** Larger files are not compared line by line, as though they were binary. */
export const defaultLargestFile = 16 * 2 ** 20;

/** Whether git takes a content for binary. */
export const isBinary = (data: Buffer): boolean => data.subarray(0, sampleBytes).includes(0);

/** Reads the contents of files. */
export class FileContents {
  readonly #history: History;
  readonly #largest: number;

  constructor(history: History, largestFile = defaultLargestFile) {
    this.#history = history;
    this.#largest = largestFile;
  }

  /** The content of a side; none for an absent one; for a submodule a line that names its commit. */
  async of(side: FileSide | undefined): Promise<FileContent> {
    if (side === undefined) return nothing;
    if (side.mode === gitlinkMode) {
      return { kind: "text", data: Buffer.from(`Subproject commit ${side.id}\n`) };
    }
    const size = this.sizeOf(side);
    if (size > this.#largest) return { kind: "large", size };
    const { type, data } = await this.#history.object(side.id);
    if (type !== "blob") throw new Error(`object ${side.id} is a ${type}, not a blob`);
    return { kind: isBinary(data) ? "binary" : "text", data };
  }

  /** Bytes of a side, without reading it. Throws MissingObject. */
  sizeOf(side: FileSide): number {
    return this.#history.sizeOf(side.id);
  }

  /** Fetches contents before they are read, neighbors in the pack together, and no more than the caches hold. */
  async fetch(sides: readonly FileSide[]): Promise<void> {
    let batch: ObjectId[] = [];
    let batched = 0;
    let fetched = 0;
    for (const side of sides) {
      if (side.mode === gitlinkMode || this.sizeOf(side) > this.#largest) continue;
      batch.push(side.id);
      batched += this.sizeOf(side);
      if (batched < batchBytes) continue;
      await this.#history.fetch(batch);
      fetched += batched;
      batch = [];
      batched = 0;
      if (fetched > mostFetched) return;
    }
    if (batch.length > 1) await this.#history.fetch(batch);
  }
}
