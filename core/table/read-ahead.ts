import type { Forge } from "../forge.ts";
import { viewed } from "../lazy.ts";
import type { Table } from "../table.ts";
import { type Item, keyText, type TableKey } from "./write.ts";

/** Items read strongly in one request, by `keyText`: keys without an item are absent. */
export interface ReadAhead {
  readonly keys: ReadonlySet<string>;
  readonly items: ReadonlyMap<string, Item>;
}

/** Nothing was. */
export const nothingAhead: ReadAhead = { keys: new Set(), items: new Map() };

/** Reads these keys, in addition to those read before. */
export async function readAhead(
  table: Table,
  keys: readonly TableKey[],
  before = nothingAhead,
): Promise<ReadAhead> {
  const wanted = keys.filter((key) => !before.keys.has(keyText(key)));
  if (wanted.length === 0) return before;
  const items = await table.getAll(wanted);
  return {
    keys: new Set([...before.keys, ...wanted.map(keyText)]),
    items: new Map([...before.items, ...items]),
  };
}

/**
 * The forge with a table that answers from items read ahead. Only for the beginning of one request: steps that know
 * nothing of each other then share a round trip.
 */
export function forgeWith(forge: Forge, { keys, items }: ReadAhead): Forge {
  const { table } = forge;
  const ahead: Table = {
    ...table,
    [viewed]: table[viewed] ?? table,
    get: async <T extends Item>(key: TableKey, options?: { isConsistent?: boolean }) =>
      keys.has(keyText(key)) ? (items.get(keyText(key)) as T | undefined) : table.get<T>(key, options),
    async getAll<T extends Item>(asked: readonly TableKey[], options?: { isConsistent?: boolean }) {
      const known = asked.map(keyText).filter((text) => keys.has(text));
      const left = asked.filter((key) => !keys.has(keyText(key)));
      const found = left.length > 0 ? await table.getAll<T>(left, options) : new Map<string, T>();
      for (const text of known) {
        const item = items.get(text);
        if (item !== undefined) found.set(text, item as T);
      }
      return found;
    },
  };
  return { ...forge, table: ahead };
}

const forget = Symbol("forget");
interface Forgetful {
  readonly [forget]: () => void;
}

/** From now on nothing is answered from items read ahead: for callers who waited while others changed them. */
export function forgetAhead({ table }: Pick<Forge, "table">): void {
  (table as Partial<Forgetful>)?.[forget]?.();
}

/**
 * The forge with a table that answers the first read of each of these keys from items read ahead, alone or with others.
 * A second read, as after a lost race, and any read after the first write get the present item. For the rest of a
 * request.
 */
export function forgeOnceWith(forge: Forge, ahead: ReadAhead, keys: readonly TableKey[]): Forge {
  const { table } = forge;
  const left = new Set(keys.map(keyText).filter((text) => ahead.keys.has(text)));
  if (left.size === 0) return forge;
  const once: Table & Forgetful = {
    ...table,
    [viewed]: table[viewed] ?? table,
    [forget]: () => left.clear(),
    get: async <T extends Item>(key: TableKey, options?: { isConsistent?: boolean }) =>
      left.delete(keyText(key))
        ? (ahead.items.get(keyText(key)) as T | undefined)
        : table.get<T>(key, options),
    async getAll<T extends Item>(asked: readonly TableKey[], options?: { isConsistent?: boolean }) {
      const known = new Set(asked.map(keyText).filter((text) => left.delete(text)));
      const others = asked.filter((key) => !known.has(keyText(key)));
      const found = others.length > 0 ? await table.getAll<T>(others, options) : new Map<string, T>();
      for (const text of known) {
        const item = ahead.items.get(text);
        if (item !== undefined) found.set(text, item as T);
      }
      return found;
    },
    write(write) {
      left.clear();
      return table.write(write);
    },
    transact(writes, options) {
      left.clear();
      return table.transact(writes, options);
    },
    removeAll(removed) {
      left.clear();
      return table.removeAll(removed);
    },
  };
  return { ...forge, table: once };
}
