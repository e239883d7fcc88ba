import { LRUCache } from "lru-cache";
import { rateLimited } from "../errors.ts";

/** How many may wait for their turn, in all and of one caller; more are told to come back. */
const mostWaiting = 32;
const mostWaitingEach = 8;
const comeBackSeconds = 2;
const windowMs = 60_000;
/** Once a caller has used up this much of a window he is told to come back when it ends. */
const allowanceMs = 5_000;
const mostCallers = 10_000;

interface Waiting {
  readonly caller: string;
  readonly start: () => void;
}

/**
 * A queue for what serves one caller at a time: the caller who has used it least in the last minute goes first, and
 * nobody holds it for longer than his allowance and one turn. It remembers in this process alone.
 */
export class FairQueue {
  readonly #now: () => number;
  /** Milliseconds used by caller; an entry ends with its window. */
  readonly #used: LRUCache<string, number>;
  #waiting: readonly Waiting[] = [];
  #isTaken = false;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#used = new LRUCache({ max: mostCallers, ttl: windowMs, ttlResolution: 0, perf: { now } });
  }

  /** Does the work when it is the caller's turn. RateLimited when too many wait, or he has used up his allowance. */
  async take<T>(caller: string, work: () => Promise<T>): Promise<T> {
    this.#requireAllowance(caller);
    if (this.#isTaken) await this.#turn(caller);
    this.#isTaken = true;
    const begun = this.#now();
    try {
      this.#requireAllowance(caller); // his texts before this one may have used it up
      return await work();
    } finally {
      const usedMs = (this.#used.get(caller) ?? 0) + this.#now() - begun;
      this.#used.set(caller, usedMs, { noUpdateTTL: true });
      this.#next();
    }
  }

  #turn(caller: string): Promise<void> {
    const own = this.#waiting.filter((one) => one.caller === caller).length;
    if (own >= mostWaitingEach || this.#waiting.length >= mostWaiting) {
      throw rateLimited("many texts are being rendered; try again in a moment", comeBackSeconds);
    }
    return new Promise((start) => {
      this.#waiting = [...this.#waiting, { caller, start }];
    });
  }

  /** The turn is handed over, so that nobody who comes meanwhile takes it. */
  #next(): void {
    const usedBy = ({ caller }: Waiting) => this.#used.get(caller) ?? 0;
    const [next] = this.#waiting.toSorted((one, other) => usedBy(one) - usedBy(other));
    this.#waiting = this.#waiting.filter((one) => one !== next);
    this.#isTaken = next !== undefined;
    next?.start();
  }

  #requireAllowance(caller: string): void {
    if ((this.#used.get(caller) ?? 0) < allowanceMs) return;
    const seconds = Math.max(1, Math.ceil(this.#used.getRemainingTTL(caller) / 1000));
    throw rateLimited("your texts took too long to render in the last minute; send simpler ones", seconds);
  }
}
