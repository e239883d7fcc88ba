import type { Forge } from "../../forge.ts";
import type { EntryKind, Needs } from "../entry-kind.ts";
import { type ListIndexPage, Matches, type PageBounds, ProjectedRows, type Projection } from "../page.ts";
import { type Range, walk } from "../range.ts";
import { BrokenSegments, type ListIndexPlace, type ListIndexView, loadRanges, type Mended } from "../view.ts";
import { cacheEntries, findCachedEntries, loadedOf } from "./compacted-entries.ts";
import { RankedEntries } from "./ranked-entries.ts";
import { rankedPage } from "./ranked-page.ts";

/** A page of the entries that a filter accepts. */
interface FullQuery<Filter, Sort> extends Projection {
  readonly filter: Filter;
  readonly sort: Sort;
  readonly bounds: PageBounds;
  readonly mended: Mended;
}

/**
 * A page of any filter and order, from the bytes of all segments that the filter does not rule out. Deltas of ids in a
 * ruled-out segment stand for themselves.
 */
export async function fullPage<Entry, Filter, Sort>(
  forge: Forge,
  index: ListIndexPlace & { readonly kind: EntryKind<Entry, Filter, Sort> },
  { ranges }: ListIndexView,
  query: FullQuery<Filter, Sort>,
): Promise<ListIndexPage | BrokenSegments> {
  const { kind, layout } = index;
  const { filter, sort, bounds, mended } = query;
  const needs = kind.needs(filter);
  const [ranking, isMatch] = [kind.ranking(sort), kind.matcher(filter)];
  const name = mended.size > 0 ? undefined : orderName(index, sort, needs);
  const ranked = name === undefined ? undefined : findCachedEntries(forge.table, name, RankedEntries, ranges);
  const asRanked = { ...query, layout, ranking, isMatch, sureTest: kind.sureTest?.(filter) };
  if (ranked !== undefined) return rankedPage(ranked, ranges, asRanked);
  const wanted = ranges.filter(mayMatch(needs));
  const columns = await loadRanges(forge, index, wanted, { withTexts: needs.texts === true, mended });
  if (columns instanceof BrokenSegments) return columns;
  if (name !== undefined) {
    const made = new RankedEntries(layout, ranking, loadedOf(ranges, columns));
    return rankedPage(cacheEntries(forge.table, name, made), ranges, asRanked);
  }
  const matches = new Matches(ranking, bounds, new ProjectedRows(layout, query));
  for (const range of ranges) {
    const loaded = range.segment === undefined ? undefined : columns.get(range.segment);
    walk(layout, range, loaded, (row) => {
      if (isMatch(row)) matches.add(row);
    });
  }
  return matches.page();
}

/**
 * The name under which the asked order is kept; undefined when a part of the segments suffices, or texts are needed.
 */
function orderName<Entry, Filter, Sort>(
  { partition, kind }: ListIndexPlace & { readonly kind: EntryKind<Entry, Filter, Sort> },
  sort: Sort,
  { ids, updatedSince, texts }: Needs,
): string | undefined {
  if (ids !== undefined || updatedSince !== undefined || texts === true) return undefined;
  const order = kind.keptOrder?.(sort);
  return order === undefined ? undefined : `${partition} ${order}`;
}

function mayMatch({ ids, updatedSince = 0 }: Needs): (range: Range) => boolean {
  const sorted = ids === undefined ? undefined : Float64Array.from(ids).sort();
  return ({ first, end, segment }) => {
    if (segment === undefined || segment.newest < updatedSince) return false;
    return sorted === undefined || (firstFrom(sorted, first) ?? Number.POSITIVE_INFINITY) < end;
  };
}

/** The lowest of sorted numbers that is not below `least`. */
function firstFrom(sorted: Float64Array, least: number): number | undefined {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return sorted[low];
}
