import { defined } from "../../defined.ts";
import type { Forge } from "../../forge.ts";
import { type ActivityItem, idOf, type TailItem } from "../directory.table.ts";
import { type EntryLayout, flagsAt } from "../entry-kind.ts";
import type { DirectoryPlace, SourceRow } from "../view.ts";

/**
 * Deltas as this program would have written them: items replace entries of an earlier format; they were read later, so
 * they are not older. It asks by blocks of ids, not by entries.
 */
export async function standIns(
  forge: Forge,
  { layout, source }: DirectoryPlace,
  outdated: readonly (TailItem | ActivityItem)[],
): Promise<TailItem[]> {
  const blocks = new Map<number, number[]>();
  for (const id of outdated.map(idOf)) {
    const block = Math.floor(id / layout.span);
    blocks.set(block, [...(blocks.get(block) ?? []), id]);
  }
  const found = await Promise.all(
    [...blocks.values()].map((ids) => source.read(forge, Math.min(...ids), Math.max(...ids) + 1)),
  );
  const rows = new Map(found.flat().map((row) => [row.id, row]));
  return outdated.map((item) => asItem(layout, item as TailItem, rows.get(idOf(item))));
}

/** A missing item is gone, in the version of the delta. */
function asItem(layout: EntryLayout, { pk, sk, v }: TailItem, row: SourceRow | undefined): TailItem {
  if (row === undefined) return { pk, sk, e: goneEntry(layout, v), v, _v: 1 };
  const { bytes, text } = row;
  const version = bytes.readUInt32BE(layout.versionAt);
  return { pk, sk, e: bytes, ...defined({ x: text }), v: version, _v: 1 };
}

/** An entry that only says that the thing is gone, as long as the part that readers look at. */
function goneEntry({ format, versionAt, activity }: EntryLayout, version: number): Buffer {
  const bytes = Buffer.alloc(
    Math.max(versionAt + 4, activity === undefined ? 0 : activity.at + activity.length),
  );
  bytes[0] = format;
  bytes[flagsAt] = 0;
  bytes.writeUInt32BE(version, versionAt);
  return bytes;
}
