import { LRUCache } from "lru-cache";
import { serviceCaller } from "../caller/caller.ts";
import { type ForgeError, rateLimited, unavailable } from "../errors.ts";

/** How many turns a queue gives, and how many of them one caller may have. */
export interface FairQueueOptions {
  /** Turns at a time, of all callers and of one. */
  readonly atOnce: number;
  readonly atOnceEach: number;
  /** How many may wait, in all and of one caller. */
  readonly mostWaiting?: number;
  readonly mostWaitingEach?: number;
  /** Milliseconds that a caller may use within a minute. */
  readonly allowanceMs?: number;
  readonly now?: () => number;
}

const windowMs = 60_000;
const comeBackSeconds = 2;
const mostCallers = 10_000;

interface Waiting {
  readonly caller: string;
  readonly start: () => void;
  readonly refuse: (refusal: ForgeError) => void;
}

/**
 * Turns at something scarce, such as threads. The caller with the fewest turns at the moment goes first; of several,
 * the one who used the least in the last minute. A caller is an account or a network (`core/caller/caller.ts`); the service
 * itself takes turns too, and is never refused. It counts in this process alone.
 */
export class FairQueue {
  readonly #options: Required<FairQueueOptions>;
  /** Milliseconds used by caller; an entry ends with its window. */
  readonly #used: LRUCache<string, number>;
  readonly #running = new Map<string, number>();
  #runningInAll = 0;
  #waiting: readonly Waiting[] = [];

  constructor(options: FairQueueOptions) {
    const defaults = {
      mostWaiting: 64,
      mostWaitingEach: 16,
      allowanceMs: Number.POSITIVE_INFINITY,
      now: () => performance.now(),
    };
    this.#options = { ...defaults, ...options };
    const { now } = this.#options;
    this.#used = new LRUCache({ max: mostCallers, ttl: windowMs, ttlResolution: 0, perf: { now } });
  }

  /**
   * Does the work in the caller's turn. RateLimited for a caller who has too much waiting or has used up the allowance,
   * Unavailable when too many others wait. Throws the signal's reason when it is aborted before the turn.
   */
  async take<T>(caller: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    this.#requireAllowance(caller);
    if (this.#mayStart(caller)) this.#start(caller);
    else await this.#turn(caller, signal);
    const { now } = this.#options;
    const begun = now();
    try {
      this.#requireAllowance(caller); // the turns before this one may have used it up
      return await work();
    } finally {
      const usedMs = (this.#used.get(caller) ?? 0) + now() - begun;
      this.#used.set(caller, usedMs, { noUpdateTTL: true });
      this.#end(caller);
    }
  }

  #runningOf = (caller: string): number => this.#running.get(caller) ?? 0;

  #mayStart(caller: string): boolean {
    const { atOnce, atOnceEach } = this.#options;
    return this.#runningInAll < atOnce && this.#runningOf(caller) < atOnceEach;
  }

  #start(caller: string): void {
    this.#runningInAll += 1;
    this.#running.set(caller, this.#runningOf(caller) + 1);
  }

  #end(caller: string): void {
    this.#runningInAll -= 1;
    const left = this.#runningOf(caller) - 1;
    if (left > 0) this.#running.set(caller, left);
    else this.#running.delete(caller);
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#leave(next);
      this.#start(next.caller);
      next.start();
    }
  }

  /** The next of those that may start; of equal callers the one who has waited longest. */
  #next(): Waiting | undefined {
    const rank = ({ caller }: Waiting) => [this.#runningOf(caller), this.#used.get(caller) ?? 0] as const;
    return this.#waiting
      .filter(({ caller }) => this.#mayStart(caller))
      .map((one) => ({ one, rank: rank(one) }))
      .toSorted((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1])[0]?.one;
  }

  async #turn(caller: string, signal: AbortSignal | undefined): Promise<void> {
    const { mostWaiting, mostWaitingEach } = this.#options;
    const isService = caller === serviceCaller;
    if (!isService && this.#waitingOf(caller) >= mostWaitingEach) {
      throw rateLimited(
        "you have many requests waiting that take long; send fewer at a time",
        comeBackSeconds,
      );
    }
    if (!isService && this.#waiting.length >= mostWaiting && !this.#makeRoom(caller)) throw crowded();
    let leave: (() => void) | undefined;
    try {
      await new Promise<void>((start, refuse) => {
        const own = { caller, start, refuse };
        this.#waiting = [...this.#waiting, own];
        leave = () => {
          this.#leave(own);
          refuse(signal?.reason);
        };
        signal?.addEventListener("abort", leave, { once: true });
      });
    } finally {
      if (leave !== undefined) signal?.removeEventListener("abort", leave);
    }
  }

  #waitingOf = (caller: string): number => this.#waiting.filter((one) => one.caller === caller).length;

  #leave(waiting: Waiting): void {
    this.#waiting = this.#waiting.filter((one) => one !== waiting);
  }

  /** Refuses the last work of the caller who has most waiting; false when nobody has more than this caller would. */
  #makeRoom(caller: string): boolean {
    const callers = [...new Set(this.#waiting.map((one) => one.caller))];
    const counts = callers.map((one) => ({ caller: one, count: this.#waitingOf(one) }));
    const [greediest] = counts.toSorted((one, other) => other.count - one.count);
    if (greediest === undefined || greediest.count <= this.#waitingOf(caller) + 1) return false;
    const last = this.#waiting.findLast((one) => one.caller === greediest.caller);
    if (last === undefined) return false;
    this.#leave(last);
    last.refuse(crowded());
    return true;
  }

  #requireAllowance(caller: string): void {
    if (caller === serviceCaller || (this.#used.get(caller) ?? 0) < this.#options.allowanceMs) return;
    const seconds = Math.max(1, Math.ceil(this.#used.getRemainingTTL(caller) / 1000));
    throw rateLimited("your requests took too much computing in the last minute; send simpler ones", seconds);
  }
}

const crowded = () =>
  unavailable("many requests that take long are waiting; try again in a moment", {
    retryAfterSeconds: comeBackSeconds,
  });
