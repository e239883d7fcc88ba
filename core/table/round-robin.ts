import { lazyFor } from "../lazy.ts";
import type { Query, Table } from "../table.ts";
import type { Item } from "./write.ts";

/** The end of this process's last round, by partition. */
const endsIn = lazyFor((_table: Table) => new Map<string, string>());

/**
 * A bounded number of items of a run, behind those of this process's last call, and from the beginning again after the
 * last one: an item that can't be handled at the head keeps none behind it from its turn.
 */
export async function queryRoundRobin<T extends Item>(
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
