import { type FileHandle, open } from "node:fs/promises";
import { IngestError } from "./ingest-error.ts";
import { orAborted } from "./ingest-state.ts";
import type { IngestLimits } from "./ingest-types.ts";
import { checkPackHeader, packHeaderBytes } from "./pack-header.ts";

/** Bytes gathered before they are written. */
const writtenBytes = 256 * 1024;

export interface ArrivalOptions {
  /** The file to make; it must not exist. */
  readonly path: string;
  readonly limits: Pick<IngestLimits, "packBytes" | "objects">;
  readonly signal?: AbortSignal;
}

/**
 * Puts a pack into a file as it comes, however slowly, and answers its bytes: costs a buffer and no thread until the last byte is there.
 * Throws a refusal for what can't be a pack, is too large, or stops coming; the file is the caller's to remove. The
 * source is left where it is then.
 */
export async function spoolArrival(
  source: AsyncIterable<Uint8Array>,
  { path, limits, signal }: ArrivalOptions,
): Promise<number> {
  const file = await open(path, "wx", 0o600);
  try {
    const arrival = new Arrival(file, limits);
    for await (const piece of untilAborted(source, signal)) await arrival.take(piece);
    await arrival.flush();
    return arrival.written;
  } finally {
    await file.close();
  }
}

class Arrival {
  readonly #file: FileHandle;
  readonly #limits: ArrivalOptions["limits"];
  readonly #room = Buffer.allocUnsafeSlow(writtenBytes);
  #used = 0;
  #written = 0;

  get written(): number {
    return this.#written;
  }

  constructor(file: FileHandle, limits: ArrivalOptions["limits"]) {
    this.#file = file;
    this.#limits = limits;
  }

  async take(piece: Uint8Array): Promise<void> {
    const { packBytes } = this.#limits;
    if (this.#written + this.#used + piece.length > packBytes) {
      throw new IngestError("pack-too-large", `the pack is larger than ${packBytes} bytes`);
    }
    for (let at = 0; at < piece.length; ) {
      const part = piece.subarray(at, at + writtenBytes - this.#used);
      this.#room.set(part, this.#used);
      this.#used += part.length;
      at += part.length;
      if (this.#used === writtenBytes) await this.flush();
    }
  }

  async flush(): Promise<void> {
    if (this.#written === 0 && this.#used >= packHeaderBytes) checkPackHeader(this.#room, 0, this.#limits);
    for (let done = 0; done < this.#used; ) {
      done += (await this.#file.write(this.#room, done, this.#used - done)).bytesWritten;
    }
    this.#written += this.#used;
    this.#used = 0;
  }
}

/** The source's pieces. Leaving the loop leaves the source as it is, for its owner to drain or destroy. */
async function* untilAborted(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await orAborted(iterator.next(), signal);
      if (next.done) return;
      yield next.value;
    }
  } catch (cause) {
    if (cause instanceof IngestError) throw cause;
    throw new IngestError("source-failed", "the pack could not be received whole", { cause });
  }
}
