import type { Item, TableKey } from "#core/table/write";

/** A key, and the item that it has, if any. */
export type Found = readonly [TableKey, Item | undefined];

/**
 * What is in a table that was new, as far as the requests that passed tell: so that the former items of a transaction
 * need not be read before each. Unknown is what an update changed, until it is read, and what two writes met on.
 */
export interface KnownItems {
  /** Makes a write to these keys. `made`: what it leaves behind, where that is sure. */
  change<T>(keys: readonly TableKey[], write: () => Promise<T>, made: readonly Found[]): Promise<T>;
  /** Makes a read. `found` tells what it has seen. */
  look<T>(read: () => Promise<T>, found: (answer: T) => readonly Found[]): Promise<T>;
  /** Whether it is known what item a key has, or that it has none. */
  has(key: TableKey): boolean;
  get(key: TableKey): Item | undefined;
}

/** The name of a key. */
export const textOf = ({ pk, sk }: TableKey): string => `${pk}\0${sk}`;

/** Nothing was written yet. */
export function createKnownItems(): KnownItems {
  const known = new Map<string, Item | undefined>();
  /** Nobody wrote any other key. */
  const written = new Set<string>();
  /** The writes under way, by key: how many, and whether one has met another. */
  const changing = new Map<string, { count: number; hasMet: boolean }>();
  let changes = 0;

  function begin(key: string): void {
    written.add(key);
    known.delete(key);
    const others = changing.get(key);
    changing.set(key, { count: (others?.count ?? 0) + 1, hasMet: others !== undefined });
  }

  /** Answers whether the write met no other. */
  function end(key: string): boolean {
    const { count = 1, hasMet = true } = changing.get(key) ?? {};
    if (count > 1) changing.set(key, { count: count - 1, hasMet: true });
    else changing.delete(key);
    return !hasMet;
  }

  return {
    async change(keys, write, made) {
      const names = [...new Set(keys.map(textOf))];
      changes += 1;
      for (const name of names) begin(name);
      let sure: ReadonlyMap<string, Item | undefined> = new Map();
      try {
        const answer = await write();
        sure = new Map(made.map(([key, item]) => [textOf(key), item]));
        return answer;
      } finally {
        for (const name of names) {
          if (end(name) && sure.has(name)) known.set(name, sure.get(name));
        }
      }
    },
    async look(read, found) {
      const before = changing.size === 0 ? changes : undefined;
      const answer = await read();
      if (changes !== before) return answer;
      for (const [key, item] of found(answer)) {
        if (written.has(textOf(key))) known.set(textOf(key), item);
      }
      return answer;
    },
    has: (key) => known.has(textOf(key)) || !written.has(textOf(key)),
    get: (key) => known.get(textOf(key)),
  };
}
