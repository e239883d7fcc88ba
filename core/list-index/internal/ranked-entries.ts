import { type EntryLayout, newRow, type Ranking, type Row, type SureTest } from "../entry-kind.ts";
import { comesBefore } from "../page.ts";
import { CompactedEntries, firstWhere, type LoadedSegment } from "./compacted-entries.ts";

/** Which entries a test holds for, by place: 1 for each. */
interface SureMatches {
  readonly version: string;
  readonly matches: Uint8Array;
}

/** How many tests have their result kept with an order, at a byte for each entry: an estimate. */
const mostTests = 2;

/** All compacted entries of an index in one order. */
export class RankedEntries extends CompactedEntries {
  /** Entries by their place in the order; each is its place by rising id. */
  readonly order: Uint32Array;
  readonly #ranking: Ranking;
  readonly #sure = new Map<string, SureMatches>();

  constructor(layout: EntryLayout, ranking: Ranking, segments: readonly LoadedSegment[]) {
    super(layout, segments, { beside: 4 + mostTests });
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

  /** By place, 1 for each entry that the test accepts. They are tested once for each version of it. */
  sureMatches({ name, version, holds }: SureTest<Row>): Uint8Array {
    const kept = this.#sure.get(name);
    if (kept?.version === version) return kept.matches;
    const row = newRow();
    const matches = Uint8Array.from({ length: this.length }, (_, place) =>
      holds(this.moveTo(place, row)) ? 1 : 0,
    );
    this.#sure.set(name, { version, matches });
    return matches;
  }
}
