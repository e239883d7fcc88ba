import { gaveWay, type Holding } from "#core/capacity/intake";
import type { IncomingBody } from "../http/body/incoming-body.ts";

/** The kept part of a request's lines takes so many times their bytes. */
const keptFactor = 3;

/** The lines of a fetch, once all are there: their content is kept in memory until `holding` is released. */
export async function* wholeLines(body: IncomingBody, holding: Holding): AsyncGenerator<Uint8Array> {
  const spooled = await holding.spool(body);
  await holding.hold(keptFactor * spooled.sizeBytes);
  yield* spooled.pieces();
}

/**
 * A push as it comes, and `keep`, which counts the kept part of its commands. A client that sends too slowly gives way.
 */
export function pushedBytes(body: IncomingBody, holding: Holding) {
  const kept = holding.open();
  kept.onNeeded(() => body.end(gaveWay()));
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for await (const piece of body.bytes) {
      kept.noteProgress(piece.length);
      yield piece;
    }
    kept.onNeeded(undefined);
  }
  return { bytes: bytes(), keep: (count: number) => holding.grow(kept, keptFactor * count) };
}
