import type { Config } from "../config.ts";
import type { Forge } from "../forge.ts";
import { lazyFor } from "../lazy.ts";
import { forgetAhead } from "../table/read-ahead.ts";

/**
 * A caller goes ahead out of turn when the line has not moved for `standstillMs`, or after `waitMs` in all: turns spare
 * conflicts, they are no lock. While the line moves, waiting is better, however slow the machine: callers who all left
 * it at one moment would only get in each other's way.
 */
const longest = { standstillMs: 5_000, waitMs: 12_000 } as const;

interface Line {
  /** The caller at work, and those who wait. */
  length: number;
  /** How many came through. */
  through: number;
  last: Promise<void>;
}

/** The lines of each forge, keyed by its settings, because the table object may be one that reads ahead. */
const linesOf = lazyFor((_config: Config) => new Map<string, Line>());

/**
 * Runs work that changes one thing (an issue, a comment, a label, a milestone) when this process's earlier work on it
 * has ended, in the order of asking: works at once would only get in each other's way. After waiting, items read ahead
 * are read anew. Other processes know nothing of these turns, so every condition and every retry stays necessary.
 */
export async function inTurn<T>(forge: Forge, thing: string, work: () => Promise<T>): Promise<T> {
  const lines = linesOf(forge.config);
  const line = lines.get(thing) ?? { length: 0, through: 0, last: Promise.resolve() };
  const before = line.length === 0 ? undefined : line.last;
  let leave: () => void = () => undefined;
  line.last = new Promise((resolve) => {
    leave = resolve;
  });
  line.length += 1;
  lines.set(thing, line);
  try {
    if (before !== undefined) {
      await waitFor(before, line);
      forgetAhead(forge);
    }
    return await work();
  } finally {
    line.length -= 1;
    line.through += 1;
    if (line.length === 0) lines.delete(thing);
    leave();
  }
}

async function waitFor(before: Promise<void>, line: Line): Promise<void> {
  const until = performance.now() + longest.waitMs;
  for (let seen = -1; seen !== line.through && performance.now() < until; ) {
    seen = line.through;
    if (await isOverWithin(before, longest.standstillMs)) return;
  }
}

async function isOverWithin(work: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const isOver = await Promise.race([work.then(() => true), tooLong]);
  clearTimeout(timer);
  return isOver;
}
