import { LRUCache } from "lru-cache";
import { lazyFor } from "../lazy.ts";
import { type Item, keyText, type Table, type TableKey } from "../table.ts";

/** Where a thing that a directory lists lies, and the version that the directory knows of it. */
export interface ListedItem extends TableKey {
  /** Absent where the list was made without the directory: it is read then. */
  readonly version?: number | undefined;
}

/** How many bytes of listed items a process keeps, of all directories together. */
export const listedItemBytes = 16 * 1024 * 1024;

/** Items by key, each as it was in one version. Shared by all requests: nobody changes one. */
const keptBy = lazyFor(
  (_table: Table) =>
    new LRUCache<string, Item>({
      maxSize: listedItemBytes,
      maxEntrySize: listedItemBytes / 64,
      sizeCalculation: sizeOf,
    }),
);

/**
 * What a page shows, by `keyText`: listed items from memory where this process has read them in the very version that the
 * directory names, all others and `beside` strongly, in one round trip. What is in memory is never stale, since every
 * write of an item that is listed raises `v` in one transaction with its entry in the directory, and the directory was
 * read strongly. Owners are no such items: they count followers and stars without a new version.
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
