import { setTimeout as delay } from "node:timers/promises";
import type { Config } from "./config.ts";
import type { Forge } from "./forge.ts";
import { lazyFor } from "./lazy.ts";

/** Whoever has waited for so long goes ahead: turns spare conflicts, they are no lock. */
const longestWaitMs = 5_000;

interface Line {
  /** Who is at it, and who waits. */
  length: number;
  last: Promise<void>;
}

/** The lines of each forge, told by its settings: the table may be another one that reads ahead. */
const linesOf = lazyFor((_config: Config) => new Map<string, Line>());

/** How many of this process are at a thing, or wait for it. */
export const crowdAt = ({ config }: Forge, thing: string): number => linesOf(config).get(thing)?.length ?? 0;

/**
 * Does what writes a thing once others of this process are through with it, in the order of asking: they would only
 * get in each other's way. Other processes know nothing of it, so that every condition and every retry stays.
 */
export async function inTurn<T>({ config }: Forge, thing: string, work: () => Promise<T>): Promise<T> {
  const lines = linesOf(config);
  const line = lines.get(thing) ?? { length: 0, last: Promise.resolve() };
  const before = line.length === 0 ? undefined : line.last;
  let leave: () => void = () => undefined;
  line.last = new Promise((resolve) => {
    leave = resolve;
  });
  line.length += 1;
  lines.set(thing, line);
  try {
    if (before !== undefined) await waitFor(before);
    return await work();
  } finally {
    line.length -= 1;
    if (line.length === 0) lines.delete(thing);
    leave();
  }
}

async function waitFor(before: Promise<void>): Promise<void> {
  const waiting = new AbortController();
  const tooLong = delay(longestWaitMs, undefined, { signal: waiting.signal }).catch(() => undefined);
  await Promise.race([before, tooLong]);
  waiting.abort();
}
