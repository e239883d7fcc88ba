import type { Forge } from "../forge.ts";
import { type EntryLayout, newRow, type Row } from "./entry-kind.ts";
import {
  CompactedEntries,
  cacheEntries,
  findCachedEntries,
  type LoadedSegment,
  loadedOf,
} from "./internal/compacted-entries.ts";
import { BrokenSegments, type ListIndexPlace, type ListIndexView, loadRanges, type Mended } from "./view.ts";

/** Divides the entries of an index into groups, 0 to 31, by the entries alone. Most should be in group 0. */
export interface Grouping {
  readonly name: string;
  readonly groupOf: (row: Row) => number;
}

/** The group of each thing in an index, at one reading. */
export interface Groups {
  /** 0 when there is no such thing. */
  groupOf(id: number): number;
  /**
   * Whether any thing may be in one of these groups: bits, the lowest of group 0. Compacted entries may have left it
   * since.
   */
  mayHave(groups: number): boolean;
  /** In this process two readings of the same version agree on all things. */
  readonly version: string;
}

let made = 0;

/** The groups of all compacted entries. */
class GroupedEntries extends CompactedEntries {
  readonly serial: number;
  readonly #groups = new Map<number, number>();
  #inUse = 0;

  constructor(layout: EntryLayout, { groupOf }: Grouping, segments: readonly LoadedSegment[]) {
    super(layout, segments, { beside: 40 });
    made += 1;
    this.serial = made;
    const row = newRow();
    for (let place = 0; place < this.length; place += 1) {
      const group = groupOf(this.moveTo(place, row));
      this.#inUse |= 1 << group;
      if (group !== 0) this.#groups.set(row.id, group);
    }
  }

  groupOf(id: number): number {
    return this.#groups.get(id) ?? 0;
  }

  mayHave(groups: number): boolean {
    return (this.#inUse & groups) !== 0;
  }
}

/**
 * The groups in a view. Those of compacted entries are kept as long as the segments; then only the delta is looked at.
 */
export async function groupsIn(
  forge: Forge,
  index: ListIndexPlace,
  { ranges }: ListIndexView,
  { grouping, mended }: { readonly grouping: Grouping; readonly mended: Mended },
): Promise<Groups | BrokenSegments> {
  const { layout, partition } = index;
  const name = `${partition} ${grouping.name}`;
  const kept = mended.size > 0 ? undefined : findCachedEntries(forge.table, name, GroupedEntries, ranges);
  if (kept !== undefined) return withDelta(kept, ranges, layout, grouping);
  const columns = await loadRanges(forge, index, ranges, { mended });
  if (columns instanceof BrokenSegments) return columns;
  const grouped = new GroupedEntries(layout, grouping, loadedOf(ranges, columns));
  if (mended.size === 0) cacheEntries(forge.table, name, grouped);
  return withDelta(grouped, ranges, layout, grouping);
}

function withDelta(
  compacted: GroupedEntries,
  ranges: ListIndexView["ranges"],
  layout: EntryLayout,
  { groupOf }: Grouping,
): Groups {
  const projected = new Map<number, number>();
  compacted.visitDelta(
    layout,
    ranges,
    (row) => projected.set(row.id, groupOf(row)),
    // The walk does not visit removed ones.
    (id) => projected.set(id, 0),
  );
  const changed = new Map([...projected].filter(([id, group]) => group !== compacted.groupOf(id)));
  return {
    groupOf: (id) => (changed.size === 0 ? undefined : changed.get(id)) ?? compacted.groupOf(id),
    mayHave: (groups) =>
      compacted.mayHave(groups) || [...changed.values()].some((group) => (groups & (1 << group)) !== 0),
    version: [compacted.serial, ...[...changed].flat()].join(" "),
  };
}
