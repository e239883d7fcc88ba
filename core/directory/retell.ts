import type { Forge } from "../forge.ts";
import { absent, type Condition, check, equals, put, remove, type Write } from "../table.ts";
import { entryKey, type TailItem } from "./directory.table.ts";
import { existsFlag, flagsAt } from "./entry-kind.ts";
import type { DirectoryPlace, SourceRow } from "./view.ts";

/**
 * Writes the entry of one id into the tail as its item says, in place of a wrong one; where there is no such thing the
 * tail says that it is gone, or nothing when `stored` (the entry as the directory has it) is not given. On the condition that neither item nor
 * tail was written meanwhile: false when one was.
 */
export async function retell(
  forge: Forge,
  { partition, layout, source }: DirectoryPlace,
  id: number,
  stored?: Buffer,
): Promise<boolean> {
  const key = entryKey(partition, id);
  // The item first: what the source says is not older, and does not count when it is newer.
  const [item, tail] = await Promise.all([
    forge.table.get(source.itemKey(id)),
    forge.table.get<TailItem>(key),
  ]);
  const row = (await source.read(forge, id, id + 1)).at(0);
  const version = Number(item?.v ?? 0);
  const isTailAsRead = tail === undefined ? absent : equals({ v: tail.v, e: tail.e });
  const isItemAsRead = check(source.itemKey(id), item === undefined ? absent : equals({ v: version }));
  const told = row === undefined ? goneEntry(stored, layout.versionAt) : entryOf(row, version);
  const write = told === undefined ? removal(key, isTailAsRead) : put({ ...key, ...told }, isTailAsRead);
  return (await forge.table.transact([isItemAsRead, write])).committed;
}

type TailContent = Omit<TailItem, "pk" | "sk">;

const removal = (key: { pk: string; sk: string }, when: Condition): Write => remove(key, when);

const entryOf = ({ bytes, text }: SourceRow, version: number): TailContent => ({
  e: bytes,
  ...(text === undefined ? {} : { x: text }),
  v: version,
  _v: 1,
});

/** Says that what is stored is gone, in the version that it has: the tail wins over a segment of the same. */
function goneEntry(stored: Buffer | undefined, versionAt: number): TailContent | undefined {
  if (stored === undefined) return undefined;
  const e = Buffer.from(stored);
  e[flagsAt] = (e[flagsAt] ?? 0) & ~existsFlag;
  return { e, v: e.readUInt32BE(versionAt), _v: 1 };
}
