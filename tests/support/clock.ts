import type { Clock } from "#core/clock";

/** A clock that stands still until a test moves it. */
export interface FakeClock extends Clock {
  advance(ms: number): void;
  set(timeMs: number): void;
}

/** Starts at a whole second of January 2030 unless told otherwise. */
export function fakeClock(startMs = Date.UTC(2030, 0, 2, 3, 4, 5)): FakeClock {
  let now = startMs;
  return {
    now: () => now,
    advance(ms) {
      now += ms;
    },
    set(timeMs) {
      now = timeMs;
    },
  };
}
