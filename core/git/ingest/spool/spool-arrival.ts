import { open } from "node:fs/promises";
import { SpoolWriter } from "../../../capacity/spool-writer.ts";
import { orAborted } from "../aborted.ts";
import { IngestError } from "../ingest-error.ts";
import type { IngestLimits } from "../ingest-types.ts";
import { checkPackHeader, packHeaderBytes } from "../scan/pack-header.ts";

/** Bytes gathered before they are written. */
const roomBytes = 256 * 1024;

export interface ArrivalOptions {
  /** The file to make; it must not exist. */
  readonly path: string;
  readonly limits: Pick<IngestLimits, "packBytes" | "objects">;
  readonly signal?: AbortSignal;
}

/**
 * Writes a pack into a file as it comes, however slowly, and answers its bytes: it costs a buffer and no thread until
 * the last byte. Throws a refusal for bytes that are no pack, for too many, and when they stop coming; the caller
 * removes the file. The source is then left where it is.
 */
export async function spoolArrival(
  source: AsyncIterable<Uint8Array>,
  { path, limits, signal }: ArrivalOptions,
): Promise<number> {
  let written = 0;
  const writer = new SpoolWriter(roomBytes, async () => ({
    path,
    file: await open(path, "wx", 0o600),
    beforeWrite(bytes) {
      if (written === 0 && bytes.length >= packHeaderBytes) checkPackHeader(bytes, 0, limits);
      written += bytes.length;
    },
  }));
  try {
    for await (const piece of untilAborted(source, signal)) {
      if (writer.sizeBytes + piece.length > limits.packBytes) {
        throw new IngestError("pack-too-large", `the pack is larger than ${limits.packBytes} bytes`);
      }
      await writer.add(piece);
    }
    await writer.finishFile();
    return written;
  } catch (error) {
    await writer.abandon();
    throw error;
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
