import { pipeline, Readable, type Transform } from "node:stream";

/**
 * The output of a transform for some pieces. A failure on either side ends both; a reader that stops early closes the
 * source.
 */
export async function* pipeThrough(
  pieces: AsyncIterable<Uint8Array>,
  transform: Transform,
): AsyncGenerator<Buffer> {
  // The reader of the transform sees the failure; the callback is there because the function needs one.
  pipeline(Readable.from(pieces, { objectMode: true, highWaterMark: 1 }), transform, () => undefined);
  yield* transform as AsyncIterable<Buffer>;
}
