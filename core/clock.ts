/** The source of time. Verbs take it from the forge, so that tests can set it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** Whole seconds since the epoch: the resolution in which the API keeps and shows times (semantics §1.1). */
export const nowSeconds = (clock: Clock): number => Math.floor(clock.now() / 1000);
