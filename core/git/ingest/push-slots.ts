import { defaultShareBounds, FairShare, type Share, type ShareBounds } from "../../capacity/fair-share.ts";
import { orAborted } from "./aborted.ts";
import { IngestError } from "./ingest-error.ts";

/** How many pushes a process runs at a time, and what it does when more come. */
export interface PushBounds extends Omit<ShareBounds, "mostPerCaller"> {
  /** Of one account. */
  readonly mostPerPusher: number;
  /** Bytes of packs in temporary files, of all pushes together. */
  readonly spoolBytes: number;
}

/** The bounds when the caller names none. */
const defaultPushBounds: PushBounds = {
  ...defaultShareBounds,
  most: 50,
  mostPerPusher: 25,
  spoolBytes: 32 * 2 ** 30,
};

/**
 * Lets in a number of pushes, fairly by account. A push that sends too slowly keeps its place while nobody waits for
 * it.
 */
export class PushSlots {
  readonly #bounds: PushBounds;
  readonly #places: FairShare;
  readonly #disk: FairShare;

  /** `disk` counts the bytes of packs, shared with other users of the disk. */
  constructor(bounds: Partial<PushBounds> = {}, disk?: FairShare) {
    this.#bounds = { ...defaultPushBounds, ...bounds };
    const { mostPerPusher, spoolBytes } = this.#bounds;
    this.#places = new FairShare({ ...this.#bounds, mostPerCaller: mostPerPusher });
    this.#disk = disk ?? new FairShare({ most: spoolBytes, mostPerCaller: spoolBytes });
  }

  /** A place, or a text for the pusher when there is none in time. Throws the signal's reason. */
  async take(pusher: string, signal?: AbortSignal): Promise<PushSlot | string> {
    signal?.throwIfAborted();
    const place = await this.#places.take(pusher, 1, signal && (() => signal));
    const { most, mostPerPusher } = this.#bounds;
    if (place === "own")
      return `you have ${mostPerPusher} pushes under way already; push again when one of them is done`;
    if (place === "others") return `the server is busy with ${most} other pushes; push again in a moment`;
    return new PushSlot(place, this.#disk.open(pusher), this.#bounds);
  }
}

const noRoom = "there is no room for this pack beside the other pushes under way; push again in a moment";

/** The place of one push. Release it when its files are gone. */
export class PushSlot {
  readonly #place: Share;
  readonly #disk: Share;
  readonly #dismissed = new AbortController();

  constructor(place: Share, disk: Share, { slowMs, leastBytes }: PushBounds) {
    this.#place = place;
    this.#disk = disk;
    place.onNeeded(() => {
      const message = `the pack came too slowly (less than ${leastBytes} bytes in ${Math.round(slowMs / 1_000)} s) while others waited; push again in a moment`;
      this.#dismissed.abort(new IngestError("source-failed", message));
    });
  }

  /** The pack's bytes as they come. Throws a refusal when there is no room for them, or when the push must give way. */
  async *receive(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const { signal } = this.#dismissed;
    const iterator = source[Symbol.asyncIterator]();
    for (;;) {
      const next = await orAborted(iterator.next(), signal).catch((error: unknown) => {
        throw signal.aborted ? signal.reason : error;
      });
      if (next.done) break;
      if (this.#disk.grow(next.value.length) !== undefined) throw new IngestError("no-space", noRoom);
      this.#place.noteProgress(next.value.length);
      yield next.value;
    }
    this.#place.onNeeded(undefined);
  }

  /** May be called more than once. */
  release(): void {
    this.#disk.release();
    this.#place.release();
  }
}
