import { onFileFinished } from "./suite/file-end.ts";

/** Random choices that a printed seed repeats. */
export interface Random {
  readonly seed: number;
  /** From 0 up to but without `below`. */
  integer(below: number): number;
  chance(probability: number): boolean;
  pick<T>(values: readonly T[]): T;
  /** Up to `most` distinct values. */
  some<T>(values: readonly T[], most: number): T[];
}

let made = 0;

/**
 * The seed of the next generator of this test file: the same in every run, so that a change alone can turn a test red.
 * `SEED=<number>` repeats one, `SEED=random` draws new ones to look further.
 */
function nextSeed(): number {
  const wanted = process.env.SEED;
  if (wanted === "random") return Math.floor(Math.random() * 2 ** 31);
  if (wanted) return Number(wanted);
  if (made === 0) onFileFinished(() => (made = 0));
  made += 1;
  return Math.imul(made, 0x9e3779b1) >>> 1;
}

/** A generator (mulberry32); the test prints its seed on failure. */
export function createRandom(seed = nextSeed()): Random {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (below: number) => Math.floor(next() * below);
  return {
    seed,
    integer,
    chance: (probability) => next() < probability,
    pick(values) {
      const value = values[integer(values.length)];
      if (value === undefined) throw new RangeError("nothing to pick from");
      return value;
    },
    some(values, most) {
      const left = [...values];
      const count = integer(Math.min(most, left.length) + 1);
      return Array.from({ length: count }, () => left.splice(integer(left.length), 1)).flat();
    },
  };
}
