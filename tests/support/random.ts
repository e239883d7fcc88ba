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

/** A generator (mulberry32) on `SEED` from the environment, or on a seed of its own; the test prints it on failure. */
export function createRandom(seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))): Random {
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
