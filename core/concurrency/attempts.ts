import { setTimeout as delay } from "node:timers/promises";

const triedForMs = 15_000;
const firstPauseMs = 10;
const longestPauseMs = 400;

/**
 * Attempts at a change that others may win, each from what it reads anew: the first at once, the others after pauses
 * with jitter. They end after `most`, or after 15 s; the caller then says that the change failed.
 */
export async function* attempts(most = Number.POSITIVE_INFINITY): AsyncGenerator<number, void> {
  const deadline = performance.now() + triedForMs;
  for (let lost = 0; lost < most && performance.now() < deadline; lost += 1) {
    if (lost > 0) await delay(Math.random() * Math.min(longestPauseMs, firstPauseMs * 2 ** lost));
    yield lost;
  }
}
