import type { Forge } from "../../forge.ts";
import { equals } from "../../table/condition.ts";
import { remove, type Write } from "../../table/write.ts";
import { type ActivityBlock, activityVersionBytes, isReadable } from "../entry-kind.ts";
import {
  type ActivityItem,
  activityKey,
  activityPrefix,
  type DeltaItem,
  entryKey,
  entryPrefix,
  idOf,
  manifestKey,
  statePrefix,
} from "../list-index.table.ts";
import { type Manifest, manifestFrom } from "../manifest.ts";
import type { ListIndexPlace } from "../view.ts";

/** The delta of one id: its entry, its activity, or both. */
export interface DeltaRow {
  readonly id: number;
  readonly entry?: { readonly bytes: Buffer; readonly text?: Buffer; readonly version: number };
  readonly activity?: { readonly bytes: Buffer; readonly version: number };
}

/** The result of one query of an index. */
export interface ListIndexState {
  readonly delta: DeltaRow[];
  readonly manifest: Manifest;
}

/** The delta by rising id, and the manifest as it was after the delta was read, strongly, in one query. */
export async function readState(forge: Forge, place: ListIndexPlace): Promise<ListIndexState> {
  const items = await forge.table.queryAll({ pk: place.partition, prefix: statePrefix });
  const { sk } = manifestKey(place.partition);
  const manifest = items.at(-1)?.sk === sk ? items.pop() : undefined;
  return { delta: readableRows(forge, place, items as DeltaItem[]), manifest: manifestFrom(manifest) };
}

/** The delta by rising id, read strongly. */
export const readDelta = async (forge: Forge, place: ListIndexPlace): Promise<DeltaRow[]> =>
  (await readState(forge, place)).delta;

/**
 * An entry of an unknown format is left out and logged: its compacted entry stands until a check has written it anew.
 */
function readableRows(
  { log }: Pick<Forge, "log">,
  { layout, partition }: ListIndexPlace,
  items: readonly (DeltaItem | ActivityItem)[],
): DeltaRow[] {
  const known = items.filter(
    ({ sk, e }) => !sk.startsWith(entryPrefix) || (e instanceof Uint8Array && isReadable(layout, e)),
  );
  if (known.length < items.length) {
    const projected = new Set(known);
    const ids = items.filter((item) => !projected.has(item)).map(idOf);
    log.error("list-index:entry-unreadable", { partition, ids: ids.slice(0, 20) });
  }
  return rowsOf(known);
}

function rowsOf(items: readonly (DeltaItem | ActivityItem)[]): DeltaRow[] {
  const rows = new Map<number, DeltaRow>();
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

/** Removes deltas that a compaction has taken in, unless they were overwritten since. */
export function clearWrites(partition: string, { id, entry, activity }: DeltaRow): Write[] {
  const writes: Write[] = [];
  if (entry !== undefined) writes.push(remove(entryKey(partition, id), equals({ v: entry.version })));
  if (activity !== undefined)
    writes.push(remove(activityKey(partition, id), equals({ v: activity.version })));
  return writes;
}

/** The entry with another activity, when that is newer. Copies only for a change. */
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
