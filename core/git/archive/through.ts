import { pipeline, Readable, type Transform } from "node:stream";

/** What a transform makes of some pieces. A failure on either side ends both; who stops early closes the source. */
export async function* through(
  pieces: AsyncIterable<Uint8Array>,
  transform: Transform,
): AsyncGenerator<Buffer> {
  // The reader of the transform hears of a failure; the callback is there because one is asked for.
  pipeline(Readable.from(pieces, { objectMode: true, highWaterMark: 1 }), transform, () => undefined);
  yield* transform as AsyncIterable<Buffer>;
}
