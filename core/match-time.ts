import { setImmediate as turn } from "node:timers/promises";

/** How long the matching of one piece of work may take in all, and hold this thread at a stretch; milliseconds. */
export interface MatchBounds {
  readonly mostMs: number;
  readonly stretchMs: number;
}

const defaultBounds: MatchBounds = { mostMs: 20_000, stretchMs: 20 };

/** Patterns took too long: both they and what they are held against are what users made of them. */
export class MatchingTooLong extends Error {}

/**
 * Time for one piece of work to match texts with patterns that users wrote: others get their turn meanwhile, and it is
 * over after 20 s.
 */
export class MatchTime {
  readonly #bounds: MatchBounds;
  #spentMs = 0;
  #since = performance.now();

  constructor(bounds: Partial<MatchBounds> = {}) {
    this.#bounds = { ...defaultBounds, ...bounds };
  }

  get isOver(): boolean {
    return this.#spentMs > this.#bounds.mostMs;
  }

  /** Does some matching whose time counts. */
  spend<T>(match: () => T): T {
    const began = performance.now();
    const result = match();
    this.#spentMs += performance.now() - began;
    return result;
  }

  /** Gives others their turn where this thread was held for long enough. */
  async rest(): Promise<void> {
    if (performance.now() - this.#since < this.#bounds.stretchMs) return;
    await turn();
    this.#since = performance.now();
  }

  /** Whether a pattern is for a text. MatchingTooLong when the time is over. */
  async matches(pattern: { matches(text: string): boolean }, text: string): Promise<boolean> {
    if (this.isOver) throw new MatchingTooLong();
    await this.rest();
    return this.spend(() => pattern.matches(text));
  }
}
