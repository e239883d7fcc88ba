import { type FileHandle, open, stat } from "node:fs/promises";
import type { Bucket } from "./bucket.ts";
import { MultipartUpload, partBytes } from "./multipart.ts";
import { readFully } from "./read-fully.ts";

/** An upload that began before the file was done. */
export interface AheadUpload {
  /** Uploads the rest of the file as it is now; the object is there then. Call it once. */
  finish(): Promise<void>;
  /** Aborts the upload, unless `finish` was called: nothing is left. */
  abandon(): Promise<void>;
}

/**
 * Begins to upload a file whose bytes from the second part on, up to `endOfStable`, won't change: it sends those parts
 * while others still work on the rest. Undefined when there is no such part. `finish` reports a failure.
 */
export function uploadAhead(
  bucket: Bucket,
  key: string,
  path: string,
  endOfStable: number,
): AheadUpload | undefined {
  const stableParts = Math.floor(endOfStable / partBytes);
  return stableParts < 2 ? undefined : new FileUpload(bucket, key, path, stableParts);
}

class FileUpload implements AheadUpload {
  readonly #path: string;
  readonly #stableParts: number;
  readonly #upload: MultipartUpload;
  /** One buffer serves all parts: each is sent before the next one is read. */
  readonly #room = Buffer.allocUnsafeSlow(partBytes);
  readonly #ahead: Promise<void>;
  #isGivenUp = false;
  #isFinished = false;

  constructor(bucket: Bucket, key: string, path: string, stableParts: number) {
    this.#path = path;
    this.#stableParts = stableParts;
    this.#upload = new MultipartUpload(bucket, key);
    this.#ahead = this.#sendAhead();
    this.#ahead.catch(() => undefined); // `finish` throws it
  }

  async #sendAhead(): Promise<void> {
    await this.#upload.start();
    await this.#withFile(async (file) => {
      for (let part = 2; part <= this.#stableParts && !this.#isGivenUp; part += 1)
        await this.#put(file, part);
    });
  }

  async finish(): Promise<void> {
    this.#isFinished = true;
    await this.#upload.finish(async () => {
      await this.#ahead;
      const { size } = await stat(this.#path);
      await this.#withFile(async (file) => {
        await this.#put(file, 1);
        const last = Math.ceil(size / partBytes);
        for (let part = this.#stableParts + 1; part <= last; part += 1) {
          await this.#put(file, part, Math.min(partBytes, size - (part - 1) * partBytes));
        }
      });
    });
  }

  async abandon(): Promise<void> {
    if (this.#isFinished || this.#isGivenUp) return;
    this.#isGivenUp = true;
    await this.#ahead.catch(() => undefined);
    await this.#upload.abort();
  }

  async #withFile(work: (file: FileHandle) => Promise<void>): Promise<void> {
    const file = await open(this.#path);
    try {
      await work(file);
    } finally {
      await file.close();
    }
  }

  async #put(file: FileHandle, part: number, bytes = partBytes): Promise<void> {
    const content = this.#room.subarray(0, bytes);
    await readFully(file, (part - 1) * partBytes, content);
    await this.#upload.put(part, content);
  }
}
