import { setImmediate as turn } from "node:timers/promises";

const stretchMs = 8;
const checkEvery = 64;

/** Lets other requests run: long loops call `isDue` at every step and wait for `pause` when it says so. */
export class Pacer {
  readonly #signal: AbortSignal | undefined;
  #steps = 0;
  #since = performance.now();

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** True when the loop has held the thread for some milliseconds. Cheap. */
  isDue(): boolean {
    this.#steps += 1;
    return this.#steps % checkEvery === 0 && performance.now() - this.#since > stretchMs;
  }

  /** Gives way to the event loop. Throws the signal's reason once it is aborted. */
  async pause(): Promise<void> {
    await turn();
    this.#signal?.throwIfAborted();
    this.#since = performance.now();
  }
}
