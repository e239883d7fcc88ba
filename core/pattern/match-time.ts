import { giveWay } from "../concurrency/give-way.ts";
import type { MatchBudget } from "./patterns.ts";

/** How long matching may take in all, and how long it may hold the thread at a time, in milliseconds. */
export interface MatchBounds {
  readonly mostMs: number;
  readonly sliceMs: number;
}

const defaultBounds: MatchBounds = { mostMs: 20_000, sliceMs: 20 };

/** Matching took too long: users write both the patterns and the texts. */
export class MatchingTooLong extends Error {}

/**
 * Bounds the time that one piece of work spends on matching texts with users' patterns: 20 s in all, and the event loop
 * runs in between.
 */
export class MatchTime implements MatchBudget {
  readonly #bounds: MatchBounds;
  #spentMs = 0;
  #since = performance.now();

  constructor(bounds: Partial<MatchBounds> = {}) {
    this.#bounds = { ...defaultBounds, ...bounds };
  }

  get isOver(): boolean {
    return this.#spentMs > this.#bounds.mostMs;
  }

  spend<T>(match: () => T): T {
    const began = performance.now();
    const result = match();
    this.#spentMs += performance.now() - began;
    return result;
  }

  /** MatchingTooLong when the time is over. */
  async rest(): Promise<void> {
    if (this.isOver) throw new MatchingTooLong();
    if (performance.now() - this.#since < this.#bounds.sliceMs) return;
    await giveWay();
    this.#since = performance.now();
  }
}
