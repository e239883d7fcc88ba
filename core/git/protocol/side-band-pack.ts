import { type PackRequest, packObjects } from "../history/select/pack-objects.ts";
import { keepAliveMs, withKeepAlive } from "./keep-alive.ts";
import { ProtocolError } from "./protocol-error.ts";
import { band, bandFrame, bandFrames, keepAliveFrame } from "./side-band.ts";

/** A pack for a client, and how the answer speaks of it. The client is told a ProtocolError from `common`. */
export interface SideBandPack extends PackRequest {
  readonly showsProgress: boolean;
  /** Most bytes of a side-band frame; those of side-band-64k when absent. */
  readonly frameBytes?: number;
  readonly keepAliveMs?: number;
  /** Called with the reason when an answer that has begun can't be finished; the client learns it on side-band 3. */
  onFailure?(error: unknown): void;
}

const progressMs = 1_000;

/** The pack on side-band 1, with progress or an empty frame on side-band 2 while nothing else is sent. */
export async function* sideBandPack(request: SideBandPack): AsyncGenerator<Buffer> {
  let objects = 0;
  const pack = packObjects(request, (count) => {
    objects = count;
  });
  const idleMs = request.keepAliveMs ?? keepAliveMs;
  const interval = request.showsProgress ? Math.min(progressMs, idleMs) : idleMs;
  let told = 0;
  const filler = () => {
    if (!request.showsProgress || objects === told) return keepAliveFrame;
    told = objects;
    return bandFrame(band.progress, `Selecting objects: ${objects}\r`);
  };
  try {
    yield* withKeepAlive(bandFrames(band.data, pack, request.frameBytes), filler, interval);
  } catch (error) {
    if (request.signal?.aborted) throw error;
    if (error instanceof ProtocolError) {
      yield bandFrame(band.error, `${error.message}\n`);
      return;
    }
    request.onFailure?.(error);
    yield bandFrame(band.error, "the server could not read this repository; try again later\n");
  }
}
