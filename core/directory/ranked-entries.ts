import { LRUCache } from "lru-cache";
import { lazyFor } from "../lazy.ts";
import type { Table } from "../table.ts";
import { rowCount, rowHeadBytes, rowsAt } from "./column.ts";
import { type EntryLayout, newRow, type Ranking, type Row } from "./entry-kind.ts";
import { comesBefore } from "./page.ts";
import type { Columns, Stretch } from "./stretch.ts";

/** Where the entries of all segments lie, by rising id. */
interface Places {
  readonly ids: Uint32Array;
  /** Of each the place of its segment among all of them, and where in its column it begins. */
  readonly column: Uint32Array;
  readonly at: Uint32Array;
}

/** All folded entries of a directory in one order. Segments never change, so it holds as long as these are the segments. */
export class RankedEntries {
  /** Entries by their place in the order; each is its place by rising id. */
  readonly order: Uint32Array;
  /** Of the segments that it was made of. */
  readonly segmentIds: readonly string[];
  readonly bytes: number;
  readonly #columns: readonly Buffer[];
  readonly #places: Places;
  readonly #ranking: Ranking;

  constructor(
    layout: EntryLayout,
    ranking: Ranking,
    segments: readonly { readonly first: number; readonly id: string; readonly entries: Buffer }[],
  ) {
    this.#ranking = ranking;
    this.#columns = segments.map(({ entries }) => entries);
    this.segmentIds = segments.map(({ id }) => id);
    this.#places = placesIn(layout, segments);
    const row = newRow();
    const keys = Array.from(this.#places.ids, (_, place) => ranking.key(this.moveTo(place, row)));
    const order = Uint32Array.from(this.#places.ids.keys());
    const key = (place: number) => keys[place] as number | string;
    // Places rise with the ids.
    this.order = order.sort((one, other) => comesBefore(ranking, one, key(one), other, key(other)));
    this.bytes = this.#columns.reduce((sum, { byteLength }) => sum + byteLength, 16 * order.length);
  }

  get length(): number {
    return this.order.length;
  }

  /** Moves a row to the entry at a place by rising id. */
  moveTo(place: number, row: Row): Row {
    const { ids, column, at } = this.#places;
    row.id = ids[place] as number;
    row.bytes = this.#columns[column[place] as number] as Buffer;
    row.at = at[place] as number;
    return row;
  }

  /** The place by rising id of the entry with this id; undefined where no segment has it. */
  placeOf(id: number): number | undefined {
    const { ids } = this.#places;
    const place = firstWhere(ids.length, (middle) => (ids[middle] as number) >= id);
    return ids[place] === id ? place : undefined;
  }

  /** How many entries come before one of this key and id. */
  rankOf(id: number, key: number | string): number {
    const row = newRow();
    return firstWhere(this.length, (middle) => {
      const other = this.moveTo(this.order[middle] as number, row);
      return comesBefore(this.#ranking, other.id, this.#ranking.key(other), id, key) >= 0;
    });
  }
}

/** How many bytes of ranked entries, with the segments that they lie in, a process keeps, of all directories together. */
export const rankedBytes = 64 * 1024 * 1024;

const keptBy = lazyFor(
  (_table: Table) =>
    new LRUCache<string, RankedEntries>({
      maxSize: rankedBytes,
      sizeCalculation: ({ bytes }) => bytes + 400,
    }),
);

/** The entries under this name, ranked, if this process keeps them of these very segments. */
export function findRanked(
  table: Table,
  name: string,
  stretches: readonly Stretch[],
): RankedEntries | undefined {
  const kept = keptBy(table).get(name);
  let place = 0;
  for (const { segment } of stretches) {
    if (segment === undefined) continue;
    if (kept?.segmentIds[place] !== segment.id) return undefined;
    place += 1;
  }
  return kept?.segmentIds.length === place ? kept : undefined;
}

/** Ranks the entries of all these stretches, and keeps them under this name. */
export function rank(
  table: Table,
  name: string,
  { layout, ranking }: { readonly layout: EntryLayout; readonly ranking: Ranking },
  stretches: readonly Stretch[],
  columns: ReadonlyMap<Stretch["segment"], Columns>,
): RankedEntries {
  const segments = stretches.flatMap(({ first, segment }) => {
    const loaded = segment === undefined ? undefined : columns.get(segment);
    return segment === undefined || loaded === undefined
      ? []
      : [{ first, id: segment.id, entries: loaded.entries }];
  });
  const ranked = new RankedEntries(layout, ranking, segments);
  keptBy(table).set(name, ranked);
  return ranked;
}

function placesIn(
  layout: EntryLayout,
  segments: readonly { readonly first: number; readonly entries: Buffer }[],
): Places {
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

/** The first number from 0 up to but without `end` that a test holds for, as for all after it; `end` when there is none. */
function firstWhere(end: number, holds: (middle: number) => boolean): number {
  let [low, high] = [0, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
