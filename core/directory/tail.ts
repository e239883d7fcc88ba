import type { Forge } from "../forge.ts";
import { type ActivityItem, activityPrefix, entryPrefix, idOf, type TailItem } from "./directory.table.ts";
import type { ActivityBlock, EntryKind, Row } from "./entry-kind.ts";

const activityVersionBytes = 6;
const behindEntries = `${entryPrefix}~`;

/** The entries of a tail, read strongly, with the newest activity in them. Row by row through one moving `Row`. */
export async function readTail<Entry, Filter, Sort>(
  forge: Forge,
  kind: EntryKind<Entry, Filter, Sort>,
  parts: readonly string[],
): Promise<Iterable<Row>> {
  const run =
    kind.activity === undefined ? { prefix: entryPrefix } : { from: activityPrefix, to: behindEntries };
  const items = await Promise.all(
    parts.map((pk) => forge.table.queryAll<TailItem | ActivityItem>({ pk, ...run })),
  );
  return rows(items.flat(), kind.activity);
}

function* rows(items: readonly (TailItem | ActivityItem)[], block: ActivityBlock | undefined): Iterable<Row> {
  const activities = new Map<number, Buffer>();
  for (const item of items) {
    if (item.sk.startsWith(activityPrefix)) activities.set(idOf(item), asBuffer(item.e));
  }
  const row: Row = { id: 0, bytes: Buffer.alloc(0), at: 0, text: undefined, textAt: 0 };
  for (const item of items) {
    if (!item.sk.startsWith(entryPrefix)) continue;
    row.id = idOf(item);
    row.bytes = withActivity(asBuffer(item.e), activities.get(row.id), block);
    row.text = "x" in item && item.x instanceof Uint8Array ? asBuffer(item.x) : undefined;
    yield row;
  }
}

/** The entry with its activity replaced by what another writer has written, when that is newer. */
function withActivity(entry: Buffer, activity: Buffer | undefined, block: ActivityBlock | undefined): Buffer {
  if (activity === undefined || block === undefined) return entry;
  const own = entry.readUIntBE(block.at, activityVersionBytes);
  if (activity.readUIntBE(0, activityVersionBytes) < own) return entry;
  const merged = Buffer.from(entry);
  activity.copy(merged, block.at, 0, block.length);
  return merged;
}

const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
