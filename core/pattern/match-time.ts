import { manySteps, Pacer } from "../concurrency/pacer.ts";
import type { MatchBudget } from "./patterns.ts";

/** How long matching may take in all, and how long paced work may hold the thread at a time, in milliseconds. */
export interface MatchBounds {
  readonly mostMs: number;
  /** That of all paced work unless given. */
  readonly sliceMs?: number;
}

const usualMostMs = 20_000;

/** Matching took too long: users write both the patterns and the texts. */
export class MatchingTooLong extends Error {}

/**
 * Bounds the time that one piece of work spends on matching texts with users' patterns: 20 s in all, and the event loop
 * runs in between.
 */
export class MatchTime implements MatchBudget {
  readonly #mostMs: number;
  readonly #pacer: Pacer;
  #spentMs = 0;

  constructor({ mostMs = usualMostMs, sliceMs }: Partial<MatchBounds> = {}) {
    this.#mostMs = mostMs;
    this.#pacer = new Pacer(undefined, sliceMs);
  }

  get isOver(): boolean {
    return this.#spentMs > this.#mostMs;
  }

  spend<T>(match: () => T): T {
    const began = performance.now();
    const result = match();
    this.#spentMs += performance.now() - began;
    return result;
  }

  /** MatchingTooLong when the time is over. */
  rest(): Promise<void> | undefined {
    if (this.isOver) throw new MatchingTooLong();
    return this.#pacer.isDue(manySteps) ? this.#pacer.pause() : undefined;
  }
}
