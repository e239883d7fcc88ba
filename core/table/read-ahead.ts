import type { Forge } from "../forge.ts";
import type { Table } from "../table.ts";
import { type Item, keyText, type TableKey } from "./write.ts";

/** What was read strongly in one request, by `keyText`: keys without an item are absent. */
export interface ReadAhead {
  readonly keys: ReadonlySet<string>;
  readonly items: ReadonlyMap<string, Item>;
}

/** Reads these keys, beside what was read before. */
export async function readAhead(
  table: Table,
  keys: readonly TableKey[],
  before: ReadAhead = { keys: new Set(), items: new Map() },
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
 * The forge with a table that answers from what was read ahead. For the beginning of one request alone: steps that know
 * nothing of each other then share a round trip.
 */
export function forgeWith(forge: Forge, { keys, items }: ReadAhead): Forge {
  const { table } = forge;
  const ahead: Table = {
    ...table,
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
  return Object.create(forge, { table: { value: ahead } }) as Forge;
}
