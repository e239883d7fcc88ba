import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { absent, type Condition, equals } from "../table/condition.ts";
import { check, put, remove, type Write } from "../table/write.ts";
import { existsFlag, flagsAt } from "./entry-kind.ts";
import { type DeltaItem, entryKey } from "./list-index.table.ts";
import type { ListIndexPlace, SourceRow } from "./view.ts";

/**
 * Rewrites one id's delta from its item, replacing a wrong entry. Without an item the delta says that the thing is
 * gone, or nothing is written when `stored` (the entry in the index) is absent. It holds only while nobody writes item
 * or delta: false when somebody did.
 */
export async function reindex(
  forge: Forge,
  { partition, layout, source }: ListIndexPlace,
  id: number,
  stored?: Buffer,
): Promise<boolean> {
  const key = entryKey(partition, id);
  // The item first: an older source counts, and a newer one does not.
  const [item, delta] = await Promise.all([
    forge.table.get(source.itemKey(id)),
    forge.table.get<DeltaItem>(key),
  ]);
  const row = (await source.read(forge, id, id + 1)).at(0);
  const version = Number(item?.v ?? 0);
  const isDeltaAsRead = delta === undefined ? absent : equals({ v: delta.v, e: delta.e });
  const isItemAsRead = check(source.itemKey(id), item === undefined ? absent : equals({ v: version }));
  const projected = row === undefined ? goneEntry(stored, layout.versionAt) : entryOf(row, version);
  const write =
    projected === undefined ? removal(key, isDeltaAsRead) : put({ ...key, ...projected }, isDeltaAsRead);
  return (await forge.table.transact([isItemAsRead, write])).committed;
}

type DeltaContent = Omit<DeltaItem, "pk" | "sk">;

const removal = (key: { pk: string; sk: string }, when: Condition): Write => remove(key, when);

const entryOf = ({ bytes, text }: SourceRow, version: number): DeltaContent => ({
  e: bytes,
  ...defined({ x: text }),
  v: version,
  _v: 1,
});

/**
 * An entry that says that the stored thing is gone, in its own version: the delta wins over a segment of the same
 * version.
 */
function goneEntry(stored: Buffer | undefined, versionAt: number): DeltaContent | undefined {
  if (stored === undefined) return undefined;
  const e = Buffer.from(stored);
  e[flagsAt] = (e[flagsAt] ?? 0) & ~existsFlag;
  return { e, v: e.readUInt32BE(versionAt), _v: 1 };
}
