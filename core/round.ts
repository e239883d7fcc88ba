import { lazyFor } from "./lazy.ts";
import type { Item } from "./table/write.ts";
import type { Query, Table } from "./table.ts";

/** Where the last round of this process ended, by partition. */
const endsIn = lazyFor((_table: Table) => new Map<string, string>());

/**
 * A bounded number of items of a run, behind those that the last call of this process had, and from the beginning again
 * after the last one: what can't be dealt with at the head keeps nothing behind it from its turn.
 */
export async function queryRound<T extends Item>(
  table: Table,
  run: Pick<Query, "pk" | "to"> & { readonly limit: number },
): Promise<T[]> {
  const memory = endsIn(table);
  const after = memory.get(run.pk);
  const behind = after === undefined ? [] : await table.queryAll<T>({ ...run, after });
  const limit = run.limit - behind.length;
  const first = limit > 0 ? await table.queryAll<T>({ ...run, limit }) : [];
  const seen = new Set(behind.map(({ sk }) => sk));
  const found = [...behind, ...first.filter(({ sk }) => !seen.has(sk))];
  const last = (limit > 0 ? first : behind).at(-1);
  if (found.length === run.limit && last !== undefined) memory.set(run.pk, last.sk);
  else memory.delete(run.pk);
  return found;
}
