import { giveWay } from "./give-way.ts";

const stretchMs = 8;
const checkEvery = 64;

/** A step after which the clock is looked at. */
export const manySteps = checkEvery;

/** Lets other requests run: long loops call `isDue` at every step and wait for `pause` when it is. */
export class Pacer {
  readonly #signal: Pick<AbortSignal, "throwIfAborted"> | undefined;
  #steps = 0;
  #since = performance.now();

  constructor(signal?: Pick<AbortSignal, "throwIfAborted">) {
    this.#signal = signal;
  }

  /**
   * True when the loop has held the thread for some milliseconds. It is cheap, because it looks at the clock at each
   * 64th step only: a step that may take long by itself, such as a whole file, counts as `manySteps`.
   */
  isDue(steps = 1): boolean {
    this.#steps += steps;
    if (this.#steps < checkEvery) return false;
    this.#steps = 0;
    return performance.now() - this.#since > stretchMs;
  }

  /** Counts steps of something that can't give way in its middle: the clock is looked at when `isDue` is asked next. */
  note(steps: number): void {
    this.#steps += steps;
  }

  /** Gives way to the event loop. Throws the signal's reason once it is aborted. */
  async pause(): Promise<void> {
    await giveWay();
    this.#signal?.throwIfAborted();
    this.#since = performance.now();
  }
}

/** Those of many things that are to be kept; others run between them. Throws the signal's reason. */
export async function filterPaced<T>(
  things: Iterable<T>,
  isKept: (thing: T) => boolean,
  signal?: AbortSignal,
): Promise<T[]> {
  const pacer = new Pacer(signal);
  const kept: T[] = [];
  for (const thing of things) {
    if (isKept(thing)) kept.push(thing);
    if (pacer.isDue()) await pacer.pause();
  }
  return kept;
}
