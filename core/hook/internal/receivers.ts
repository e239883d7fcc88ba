import { LRUCache } from "lru-cache";
import type { Config } from "../../config.ts";
import { lazyFor } from "../../lazy.ts";

/** Attempts under way to one receiver: half of what a process works on (`infra/local/workers.ts`). */
const mostAtOnce = 15;
/** A receiver that needs longer is slow: others must not wait behind its deliveries. */
const patienceMs = 1_000;
/** Without answers from a receiver nothing is sent to it for a while: this long, then twice that, and so on. */
const firstPauseMs = 10_000;
const longestPauseMs = 160_000;
const mostKnown = 10_000;

/** The attempts under way, in their order, and what came of the last ones. */
interface Known {
  readonly underWay: Set<{ readonly since: number }>;
  readonly waiting: Set<() => void>;
  /** How often in a row no answer came, and when that was last. */
  silences: number;
  silentAt: number;
}

/** Ends a turn: `isSilent` when no answer came although there was time for one. */
export type EndTurn = (isSilent: boolean, now: number) => void;

/**
 * What this process knows of the receivers of hooks. It keeps those that hang from taking all the places of a worker:
 * half of them at most, and one at a time, after a pause, once no answer came. Nothing is stored: another process finds
 * out by itself.
 */
export class Receivers {
  readonly #known = new LRUCache<number, Known>({ max: mostKnown });
  readonly #patienceMs: number;

  constructor(patience = patienceMs) {
    this.#patienceMs = patience;
  }

  /** A turn to send to a hook's receiver, or how many milliseconds to wait before asking again. */
  async turn(hookId: number, now: number): Promise<EndTurn | number> {
    const known = this.#of(hookId);
    const pause = pauseOf(known, now);
    if (pause > 0) return pause;
    if (known.underWay.size >= mostAtOnce) {
      const [oldest] = known.underWay;
      if (now - (oldest?.since ?? now) < this.#patienceMs) await this.#wait(known);
      if (known.underWay.size >= mostAtOnce || known.silences > 0) return firstPauseMs;
    }
    const turn = { since: now };
    known.underWay.add(turn);
    return (isSilent, endedAt) => {
      known.underWay.delete(turn);
      known.silences = isSilent ? known.silences + 1 : 0;
      known.silentAt = endedAt;
      const [next] = known.waiting;
      next?.();
    };
  }

  #of(hookId: number): Known {
    const known = this.#known.get(hookId) ?? {
      underWay: new Set(),
      waiting: new Set(),
      silences: 0,
      silentAt: 0,
    };
    this.#known.set(hookId, known);
    return known;
  }

  /** Until a turn ends, or patience does. */
  async #wait({ waiting }: Known): Promise<void> {
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, this.#patienceMs);
      waiting.add(end);
    });
  }
}

/** How long a receiver that gave no answer is left alone; 0: not at all, or no more. */
function pauseOf({ silences, silentAt, underWay }: Known, now: number): number {
  if (silences === 0) return 0;
  const pause = Math.min(firstPauseMs * 2 ** (silences - 1), longestPauseMs);
  const left = silentAt + pause - now;
  return underWay.size > 0 ? Math.max(left, firstPauseMs) : left;
}

/** The receivers that the workers of these settings know. */
export const receiversOf = lazyFor((_config: Config) => new Receivers());
