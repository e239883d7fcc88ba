import { type EntryLayout, newRow, type Ranking } from "./entry-kind.ts";
import { FoldedEntries, firstWhere, type LoadedSegment } from "./folded-entries.ts";
import { comesBefore } from "./page.ts";

/** All folded entries of a directory in one order. */
export class RankedEntries extends FoldedEntries {
  /** Entries by their place in the order; each is its place by rising id. */
  readonly order: Uint32Array;
  readonly #ranking: Ranking;

  constructor(layout: EntryLayout, ranking: Ranking, segments: readonly LoadedSegment[]) {
    super(layout, segments, { beside: 4 });
    this.#ranking = ranking;
    const row = newRow();
    const keys = Array.from({ length: this.length }, (_, place) => ranking.key(this.moveTo(place, row)));
    const order = Uint32Array.from(keys.keys());
    const key = (place: number) => keys[place] as number | string;
    // Places rise with the ids.
    this.order = order.sort((one, other) => comesBefore(ranking, one, key(one), other, key(other)));
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
