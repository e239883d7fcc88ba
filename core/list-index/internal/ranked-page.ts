import { type EntryLayout, newRow, type Ranking, type Row, type SureTest } from "../entry-kind.ts";
import { comesBefore, type ListIndexPage, type PageBounds, ProjectedRows, type Projection } from "../page.ts";
import type { Range } from "../range.ts";
import type { RankedEntries } from "./ranked-entries.ts";

interface RankedQuery extends Projection {
  readonly layout: EntryLayout;
  readonly ranking: Ranking;
  readonly isMatch: (row: Row) => boolean;
  readonly sureTest: SureTest<Row> | undefined;
  readonly bounds: PageBounds;
}

/** A match from the delta, and how many of the ranked entries come before it. */
interface Newcomer {
  readonly id: number;
  readonly key: number | string;
  readonly rank: number;
  readonly row: Row;
}

/**
 * A page of entries whose order is known: only the deltas are sorted, and take their places in it. Certain matches are
 * not tested again.
 */
export function rankedPage(
  ranked: RankedEntries,
  ranges: readonly Range[],
  query: RankedQuery,
): ListIndexPage {
  const { layout, isMatch, sureTest, bounds } = query;
  const { newcomers, isReplaced } = newcomersOf(ranked, ranges, query);
  const projected = new ProjectedRows(layout, query);
  const ids: number[] = [];
  let total = 0;
  const isOnPage = () => total >= bounds.start && total < bounds.end;
  const take = (row: Row) => {
    if (isOnPage()) {
      ids.push(row.id);
      projected.add(row);
    }
    total += 1;
  };
  const row = newRow();
  const { order } = ranked;
  const sure = sureTest && ranked.sureMatches(sureTest);
  let next = 0;
  for (let rank = 0; rank < order.length; rank += 1) {
    for (; newcomers[next]?.rank === rank; next += 1) take((newcomers[next] as Newcomer).row);
    const place = order[rank] as number;
    if (isReplaced[place] === 1) continue;
    if (sure?.[place] === 1 && !isOnPage()) total += 1;
    else if (isMatch(ranked.moveTo(place, row))) take(row);
  }
  for (const { row: last } of newcomers.slice(next)) take(last);
  return { ids, total, ...projected.at(ids.map((_, place) => place)) };
}

/** The matches that the delta adds, in order, and the places of the ranked entries that it replaces. */
function newcomersOf(
  ranked: RankedEntries,
  ranges: readonly Range[],
  { layout, ranking, isMatch }: RankedQuery,
): { readonly newcomers: readonly Newcomer[]; readonly isReplaced: Uint8Array } {
  const isReplaced = new Uint8Array(ranked.length);
  const newcomers: Newcomer[] = [];
  const visit = (row: Row) => {
    if (!isMatch(row)) return;
    const [id, key] = [row.id, ranking.key(row)];
    newcomers.push({ id, key, rank: ranked.rankOf(id, key), row: { ...row } });
  };
  ranked.visitDelta(layout, ranges, visit, (_id, place) => {
    if (place !== undefined) isReplaced[place] = 1;
  });
  newcomers.sort((one, other) => comesBefore(ranking, one.id, one.key, other.id, other.key));
  return { newcomers, isReplaced };
}
