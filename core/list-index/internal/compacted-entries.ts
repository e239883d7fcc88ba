import { LRUCache } from "lru-cache";
import { lazyFor } from "../../lazy.ts";
import type { Table } from "../../table.ts";
import { type EntryLayout, newRow, type Row } from "../entry-kind.ts";
import { type Columns, Merge, type Range } from "../range.ts";
import { rowCount, rowHeadBytes, rowsAt } from "./column.ts";

/** A segment whose entries were loaded. */
export interface LoadedSegment {
  readonly first: number;
  readonly id: string;
  readonly entries: Buffer;
}

/** The places of the entries of all segments, by rising id. */
interface Places {
  readonly ids: Uint32Array;
  /** For each entry the place of its segment among all segments, and where in its column it begins. */
  readonly column: Uint32Array;
  readonly at: Uint32Array;
}

/**
 * All compacted entries of an index, each at its place by rising id. Segments never change, so anything derived from
 * them alone, as subclasses do, holds as long as these are the segments.
 */
export class CompactedEntries {
  readonly length: number;
  /** Of the segments that it was made of. */
  readonly segmentIds: readonly string[];
  /** About how much memory it takes, with the segments and `beside` for each entry. */
  readonly bytes: number;
  readonly #columns: readonly Buffer[];
  readonly #places: Places;

  constructor(layout: EntryLayout, segments: readonly LoadedSegment[], { beside }: { beside: number }) {
    this.segmentIds = segments.map(({ id }) => id);
    this.#columns = segments.map(({ entries }) => entries);
    this.#places = placesIn(layout, segments);
    this.length = this.#places.ids.length;
    const size = (12 + beside) * this.length;
    this.bytes = this.#columns.reduce((sum, { byteLength }) => sum + byteLength, size);
  }

  /** Moves a row to the entry at a place. */
  moveTo(place: number, row: Row): Row {
    const { ids, column, at } = this.#places;
    row.id = ids[place] as number;
    row.bytes = this.#columns[column[place] as number] as Buffer;
    row.at = at[place] as number;
    return row;
  }

  /** The place of the entry with this id; undefined when no segment has it. */
  placeOf(id: number): number | undefined {
    const { ids } = this.#places;
    const place = firstWhere(ids.length, (middle) => (ids[middle] as number) >= id);
    return ids[place] === id ? place : undefined;
  }

  /** Visits the existing things among the ids of the delta, and before each tells the place of its compacted entry. */
  visitDelta(
    layout: EntryLayout,
    ranges: readonly Range[],
    visit: (row: Row) => void,
    tell: (id: number, place: number | undefined) => void,
  ): void {
    const merge = new Merge(layout, visit);
    const compacted = newRow();
    for (const { delta } of ranges) {
      for (const changed of delta) {
        const place = this.placeOf(changed.id);
        tell(changed.id, place);
        merge.visit(changed, place === undefined ? undefined : this.moveTo(place, compacted));
      }
    }
  }
}

/**
 * How many bytes of compacted entries, with the segments that they lie in, a process keeps, for all indexes together.
 */
const compactedBytes = 64 * 1024 * 1024;

const keptBy = lazyFor(
  (_table: Table) =>
    new LRUCache<string, CompactedEntries>({
      maxSize: compactedBytes,
      sizeCalculation: ({ bytes }) => bytes + 400,
    }),
);

/** What this process keeps under this name, if it is of this class and was made from exactly these segments. */
export function findCachedEntries<Kept extends CompactedEntries>(
  table: Table,
  name: string,
  kind: abstract new (...given: never[]) => Kept,
  ranges: readonly Range[],
): Kept | undefined {
  const kept = keptBy(table).get(name);
  if (!(kept instanceof kind)) return undefined;
  let place = 0;
  for (const { segment } of ranges) {
    if (segment === undefined) continue;
    if (kept.segmentIds[place] !== segment.id) return undefined;
    place += 1;
  }
  return kept.segmentIds.length === place ? kept : undefined;
}

/** Keeps something under a name, replacing what was kept there. */
export function cacheEntries<Kept extends CompactedEntries>(table: Table, name: string, kept: Kept): Kept {
  keptBy(table).set(name, kept);
  return kept;
}

/** The segments of ranges that were loaded, in order. */
export const loadedOf = (
  ranges: readonly Range[],
  columns: ReadonlyMap<Range["segment"], Columns>,
): LoadedSegment[] =>
  ranges.flatMap(({ first, segment }) => {
    const loaded = segment === undefined ? undefined : columns.get(segment);
    return segment === undefined || loaded === undefined
      ? []
      : [{ first, id: segment.id, entries: loaded.entries }];
  });

function placesIn(layout: EntryLayout, segments: readonly LoadedSegment[]): Places {
  const count = segments.reduce((sum, { entries }) => sum + rowCount(entries), 0);
  const places: Places = {
    ids: new Uint32Array(count),
    column: new Uint32Array(count),
    at: new Uint32Array(count),
  };
  let place = 0;
  segments.forEach(({ first, entries }, column) => {
    let at = rowsAt;
    for (let left = rowCount(entries); left > 0; left -= 1) {
      places.ids[place] = first + entries.readUInt16BE(at);
      places.column[place] = column;
      places.at[place] = at + rowHeadBytes;
      at += rowHeadBytes + layout.length(entries, at + rowHeadBytes);
      place += 1;
    }
  });
  return places;
}

/**
 * The first number from 0 up to but without `end` for which a test holds, as it does for all after it; `end` when there
 * is none.
 */
export function firstWhere(end: number, holds: (middle: number) => boolean): number {
  let [low, high] = [0, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
