import { giveWay } from "./give-way.ts";

const usualSliceMs = 8;
const checkEvery = 64;

/** A step after which the clock is looked at. */
export const manySteps = checkEvery;

/** When the paced work of this turn of the loop began; undefined when there was none yet. */
let turnSince: number | undefined;

function beginSlice(): number {
  const since = performance.now();
  turnSince = since;
  setImmediate(() => {
    if (turnSince === since) turnSince = undefined; // else somebody who had given way began another
  });
  return since;
}

/** All that is paced in one turn shares a time slice: hundreds may go on in it, as what they read arrives together. */
const sinceTurn = (): number => turnSince ?? beginSlice();

/** Lets other requests run: long loops call `isDue` at every step and wait for `pause` when it is. */
export class Pacer {
  readonly #signal: Pick<AbortSignal, "throwIfAborted"> | undefined;
  readonly #sliceMs: number;
  #steps = 0;

  constructor(signal?: Pick<AbortSignal, "throwIfAborted">, sliceMs = usualSliceMs) {
    this.#signal = signal;
    this.#sliceMs = sliceMs;
    sinceTurn();
  }

  /**
   * True when paced work has held the thread for some milliseconds. It is cheap, because it looks at the clock at each
   * 64th step only: a step that may take long by itself, such as a whole file, counts as `manySteps`.
   */
  isDue(steps = 1): boolean {
    this.#steps += steps;
    if (this.#steps < checkEvery) return false;
    this.#steps = 0;
    return performance.now() - sinceTurn() > this.#sliceMs;
  }

  /** Counts steps of something that can't give way in its middle: the clock is looked at when `isDue` is asked next. */
  note(steps: number): void {
    this.#steps += steps;
  }

  /** Gives way to the event loop. Throws the signal's reason once it is aborted. */
  async pause(): Promise<void> {
    await giveWay();
    this.#signal?.throwIfAborted();
    beginSlice(); // it goes on alone in this turn
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

/** What each of many things becomes, in their order; others run between them. `steps` of each as in `Pacer`. */
export async function mapPaced<T, U>(
  things: Iterable<T>,
  map: (thing: T) => U,
  pacer = new Pacer(),
  steps = 1,
): Promise<U[]> {
  const mapped: U[] = [];
  for (const thing of things) {
    mapped.push(map(thing));
    if (pacer.isDue(steps)) await pacer.pause();
  }
  return mapped;
}
