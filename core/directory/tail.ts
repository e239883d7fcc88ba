import type { Forge } from "../forge.ts";
import { equals, remove, type Write } from "../table.ts";
import {
  type ActivityItem,
  activityKey,
  activityPrefix,
  entryKey,
  entryPrefix,
  idOf,
  type TailItem,
} from "./directory.table.ts";
import { type ActivityBlock, type EntryLayout, isReadable } from "./entry-kind.ts";

/** What the tail says of one id: its entry, its activity, or both. */
export interface TailRow {
  readonly id: number;
  readonly entry?: { readonly bytes: Buffer; readonly text?: Buffer; readonly version: number };
  readonly activity?: { readonly bytes: Buffer; readonly version: number };
}

const activityVersionBytes = 6;
const behindEntries = `${entryPrefix}~`;

/**
 * The tail by rising id, read strongly. An entry of another format than this program reads is left out, and told in the
 * log: what was folded of it stands until a check has told it anew.
 */
export async function readTail(
  { table, log }: Pick<Forge, "table" | "log">,
  { layout, parts }: { readonly layout: EntryLayout; readonly parts: readonly string[] },
): Promise<TailRow[]> {
  const run =
    layout.activity === undefined ? { prefix: entryPrefix } : { from: activityPrefix, to: behindEntries };
  const items = await Promise.all(parts.map((pk) => table.queryAll<TailItem | ActivityItem>({ pk, ...run })));
  const isKnown = (item: TailItem | ActivityItem) =>
    !item.sk.startsWith(entryPrefix) || (item.e instanceof Uint8Array && isReadable(layout, item.e));
  const all = items.flat();
  const known = all.filter(isKnown);
  if (known.length < all.length) {
    const ids = all.filter((item) => !isKnown(item)).map(idOf);
    log.error("directory:entry-unreadable", { partition: parts[0], ids: ids.slice(0, 20) });
  }
  return rowsOf(known);
}

function rowsOf(items: readonly (TailItem | ActivityItem)[]): TailRow[] {
  const rows = new Map<number, TailRow>();
  for (const item of items) {
    const id = idOf(item);
    const row = rows.get(id) ?? { id };
    const [bytes, version] = [asBuffer(item.e), Number(item.v)];
    if (item.sk.startsWith(activityPrefix)) rows.set(id, { ...row, activity: { bytes, version } });
    else if (item.sk.startsWith(entryPrefix)) {
      const text = item.x instanceof Uint8Array ? { text: asBuffer(item.x) } : {};
      rows.set(id, { ...row, entry: { bytes, version, ...text } });
    }
  }
  return [...rows.values()].sort((one, other) => one.id - other.id);
}

/** Removes what a fold has taken in, unless it was overwritten since. */
export function clearWrites(parts: readonly string[], { id, entry, activity }: TailRow): Write[] {
  const writes: Write[] = [];
  if (entry !== undefined) writes.push(remove(entryKey(parts, id), equals({ v: entry.version })));
  if (activity !== undefined) writes.push(remove(activityKey(parts, id), equals({ v: activity.version })));
  return writes;
}

/** The entry with its activity replaced by another, when that is newer. Copies where it changes anything. */
export function withActivity(
  entry: Buffer,
  activity: Buffer | undefined,
  block: ActivityBlock | undefined,
): Buffer {
  if (activity === undefined || block === undefined) return entry;
  const own = entry.readUIntBE(block.at, activityVersionBytes);
  if (activity.readUIntBE(0, activityVersionBytes) <= own) return entry;
  const merged = Buffer.from(entry);
  activity.copy(merged, block.at, 0, block.length);
  return merged;
}

/** The same bytes as a Buffer, without a copy. */
export const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
