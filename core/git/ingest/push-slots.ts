import { IngestError } from "./ingest-error.ts";
import { orAborted } from "./ingest-state.ts";

/** How many pushes a process has under way at a time, and what it does when more come. */
export interface PushBounds {
  readonly most: number;
  /** Of one account. */
  readonly mostPerPusher: number;
  /** Bytes of packs in temporary files, of all pushes together. */
  readonly spoolBytes: number;
  /** How long one more waits for its turn: less than fronts wait for a first byte. */
  readonly patienceMs: number;
  /** A push that brings less than `leastBytes` in this time gives way when others wait. */
  readonly slowMs: number;
  readonly leastBytes: number;
}

/** The bounds that hold where the caller names none. */
export const defaultPushBounds: PushBounds = {
  most: 50,
  mostPerPusher: 25,
  spoolBytes: 32 * 2 ** 30,
  patienceMs: 10_000,
  slowMs: 30_000,
  leastBytes: 480 * 2 ** 10,
};

interface Waiting {
  readonly pusherId: number;
  readonly enter: (slot: PushSlot) => void;
}

const longestPollMs = 1_000;

/**
 * Lets pushes in up to a number, the rest wait in line: of several accounts the one with the fewest under way comes
 * first, and one alone never takes all places. Whoever sends too slowly keeps its place only while nobody waits for it.
 */
export class PushSlots {
  readonly #bounds: PushBounds;
  readonly #held = new Set<PushSlot>();
  readonly #line: Waiting[] = [];
  #spooled = 0;

  constructor(bounds: Partial<PushBounds> = {}) {
    this.#bounds = { ...defaultPushBounds, ...bounds };
  }

  /** A place, once there is one; a text for the pusher when there is none in time. Throws the signal's reason. */
  async take(pusherId: number, signal?: AbortSignal): Promise<PushSlot | string> {
    const { most, mostPerPusher, patienceMs, slowMs } = this.#bounds;
    let entered: PushSlot | undefined;
    let wake: () => void = () => undefined;
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const enter = (slot: PushSlot) => {
      entered = slot;
      wake();
    };
    signal?.throwIfAborted();
    this.#line.push({ pusherId, enter });
    this.#letIn();
    if (entered === undefined) {
      const poll = setInterval(() => this.#letIn(), Math.min(longestPollMs, slowMs));
      const patience = setTimeout(wake, patienceMs);
      signal?.addEventListener("abort", wake);
      await woken;
      clearInterval(poll);
      clearTimeout(patience);
      signal?.removeEventListener("abort", wake);
      const place = this.#line.findIndex((one) => one.enter === enter);
      if (place >= 0) this.#line.splice(place, 1);
    }
    const slot = entered as PushSlot | undefined;
    if (signal?.aborted === true) slot?.release();
    signal?.throwIfAborted();
    if (slot !== undefined) return slot;
    return this.#heldBy(pusherId) >= mostPerPusher
      ? `you have ${mostPerPusher} pushes under way already; push again when one of them is done`
      : `the server is busy with ${most} other pushes; push again in a moment`;
  }

  #heldBy(pusherId: number): number {
    let count = 0;
    for (const slot of this.#held) if (slot.pusherId === pusherId) count += 1;
    return count;
  }

  #letIn(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      if (this.#held.size >= this.#bounds.most && !this.#dismissSlowest()) return;
      this.#line.splice(this.#line.indexOf(next), 1);
      const slot = new PushSlot(next.pusherId, this.#bounds, {
        spool: (bytes) => this.#spool(bytes),
        leave: () => this.#leave(slot),
      });
      this.#held.add(slot);
      next.enter(slot);
    }
  }

  /** Who of those that may come in has the fewest pushes under way, and has waited longest. */
  #next(): Waiting | undefined {
    const allowed = this.#line
      .map((waiting) => ({ waiting, held: this.#heldBy(waiting.pusherId) }))
      .filter(({ held }) => held < this.#bounds.mostPerPusher);
    return allowed.sort((one, other) => one.held - other.held)[0]?.waiting;
  }

  /** Ends the push that has been slow for longest; false when none is. */
  #dismissSlowest(): boolean {
    const slow = [...this.#held].filter((slot) => slot.isSlow);
    const [slowest] = slow.sort((one, other) => one.slowSince - other.slowSince);
    if (slowest === undefined) return false;
    slowest.dismiss();
    return this.#held.delete(slowest);
  }

  #spool(bytes: number): boolean {
    if (bytes > 0 && this.#spooled + bytes > this.#bounds.spoolBytes) return false;
    this.#spooled += bytes;
    return true;
  }

  #leave(slot: PushSlot): void {
    this.#held.delete(slot);
    this.#letIn();
  }
}

interface SlotDoors {
  /** False when there is no room for so many bytes more; fewer than none give room back. */
  spool(bytes: number): boolean;
  leave(): void;
}

/** The place of one push. Release it when its files are gone. */
export class PushSlot {
  readonly pusherId: number;
  readonly #bounds: PushBounds;
  readonly #doors: SlotDoors;
  readonly #dismissed = new AbortController();
  #isArriving = true;
  #isReleased = false;
  #spooled = 0;
  #recentBytes = 0;
  /** When it last had brought enough. */
  slowSince = performance.now();

  constructor(pusherId: number, bounds: PushBounds, doors: SlotDoors) {
    this.pusherId = pusherId;
    this.#bounds = bounds;
    this.#doors = doors;
  }

  /** Whether it has to give way when others wait: only while its pack comes in. */
  get isSlow(): boolean {
    return this.#isArriving && performance.now() - this.slowSince >= this.#bounds.slowMs;
  }

  dismiss(): void {
    const seconds = Math.round(this.#bounds.slowMs / 1_000);
    const message = `the pack came too slowly (less than ${this.#bounds.leastBytes} bytes in ${seconds} s) while others waited; push again in a moment`;
    this.#dismissed.abort(new IngestError("source-failed", message));
  }

  /** The pack's bytes as they come. Throws a refusal when there is no room for them, or the push has to give way. */
  async *receive(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const { signal } = this.#dismissed;
    const iterator = source[Symbol.asyncIterator]();
    for (;;) {
      const next = await orAborted(iterator.next(), signal).catch((error: unknown) => {
        throw signal.aborted ? signal.reason : error;
      });
      if (next.done) break;
      this.#note(next.value.length);
      yield next.value;
    }
    this.#isArriving = false;
  }

  #note(bytes: number): void {
    if (!this.#doors.spool(bytes)) {
      const message =
        "there is no room for this pack beside the other pushes under way; push again in a moment";
      throw new IngestError("no-space", message);
    }
    this.#spooled += bytes;
    this.#recentBytes += bytes;
    if (this.#recentBytes < this.#bounds.leastBytes) return;
    this.#recentBytes = 0;
    this.slowSince = performance.now();
  }

  /** May be called more than once. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#doors.spool(-this.#spooled);
    this.#doors.leave();
  }
}
