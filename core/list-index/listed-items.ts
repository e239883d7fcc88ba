import { LRUCache } from "lru-cache";
import { lazyFor } from "../lazy.ts";
import { type Item, keyText, type TableKey } from "../table/write.ts";
import type { Table } from "../table.ts";

/** The place of a listed thing, and its version according to the list index. */
export interface ListedItem extends TableKey {
  /** Absent when the list was made without the list index: the thing is read then. */
  readonly version?: number | undefined;
}

/** How many bytes of listed items a process keeps, for all indexes together. */
const listedItemBytes = 16 * 1024 * 1024;

/** Items by key, each in one version. All requests share them: nobody changes one. */
const keptBy = lazyFor(
  (_table: Table) =>
    new LRUCache<string, Item>({
      maxSize: listedItemBytes,
      maxEntrySize: listedItemBytes / 64,
      sizeCalculation: sizeOf,
    }),
);

/**
 * The things of a page, by `keyText`: listed items from memory when this process has read exactly the version in the
 * index; all others and `beside` strongly, in one round trip. Memory is never stale, because every write of a listed
 * item raises `v` in one transaction with its entry in the index, and the index was read strongly. Owners are not kept:
 * they count followers and stars without a new version.
 */
export async function readListed(
  table: Table,
  listed: readonly ListedItem[],
  beside: readonly TableKey[] = [],
): Promise<Map<string, Item>> {
  const kept = keptBy(table);
  const remembered = new Map<string, Item>();
  const wanted: TableKey[] = [];
  for (const { pk, sk, version } of listed) {
    const text = keyText({ pk, sk });
    const item = version === undefined ? undefined : kept.get(text);
    if (item !== undefined && item.v === version) remembered.set(text, item);
    else wanted.push({ pk, sk });
  }
  const found = await table.getAll([...beside, ...wanted]);
  for (const key of wanted) {
    const text = keyText(key);
    const item = found.get(text);
    if (typeof item?.v === "number") kept.set(text, item);
  }
  for (const [text, item] of remembered) found.set(text, item);
  return found;
}

const bytesOf = { reference: 8, object: 48 } as const;

/** About how many bytes of memory a value takes. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return bytesOf.object + 2 * value.length;
  if (typeof value !== "object" || value === null) return bytesOf.reference;
  if (value instanceof Uint8Array) return bytesOf.object + value.byteLength;
  const parts = value instanceof Set ? [...value] : Object.values(value);
  return parts.reduce((sum: number, part) => sum + bytesOf.reference + sizeOf(part), bytesOf.object);
}
