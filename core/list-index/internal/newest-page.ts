import type { Forge } from "../../forge.ts";
import type { EntryLayout, Row } from "../entry-kind.ts";
import type { SegmentSummary } from "../manifest.ts";
import { type ListIndexPage, type PageBounds, ProjectedRows, type Projection } from "../page.ts";
import { type Columns, type Range, walk } from "../range.ts";
import {
  BrokenSegments,
  isInMemory,
  type ListIndexPlace,
  type ListIndexView,
  loadRanges,
  type Mended,
} from "../view.ts";

/** A page by falling ids of entries of some classes that `isMatch` accepts. */
export interface NewestQuery extends Projection {
  readonly classes: readonly number[];
  readonly isMatch: (row: Row) => boolean;
  readonly bounds: PageBounds;
  readonly mended: Mended;
  /**
   * Reads the number of matches from a count that the caller keeps; called when segments would have to be loaded for
   * it.
   */
  readonly countTotal?: () => Promise<number>;
}

/**
 * The manifest's counts say which segments hold the page. Only they are loaded, with those before them that the delta
 * changes: only its segment tells how a changed entry was counted.
 */
export async function newestPage(
  forge: Forge,
  index: ListIndexPlace,
  { ranges }: ListIndexView,
  query: NewestQuery,
): Promise<ListIndexPage | BrokenSegments> {
  const { bounds, classes, countTotal } = query;
  const newestFirst = [...ranges].reverse();
  const wanted = new Set(rangesAround(newestFirst, classes, bounds));
  const unclear = newestFirst.filter((one) => one.delta.length > 0 && !wanted.has(one));
  const isCountable = unclear.every((one) => isInMemory(forge, index, one));
  if (isCountable || countTotal === undefined) for (const one of unclear) wanted.add(one);
  const [columns, counted] = await Promise.all([
    loadRanges(forge, index, [...wanted], { mended: query.mended }),
    isCountable ? undefined : countTotal?.(),
  ]);
  if (columns instanceof BrokenSegments) return columns;
  return pageOf(index.layout, newestFirst, { ...query, wanted, columns, counted });
}

/** The ranges that may hold a part of the page, and those before its end whose count the delta makes unclear. */
function rangesAround(
  newestFirst: readonly Range[],
  classes: readonly number[],
  { start, end }: PageBounds,
): Range[] {
  const around: Range[] = [];
  let [least, most] = [0, 0];
  for (const range of newestFirst) {
    if (least >= end || start >= end) break;
    const compacted = compactedCount(range, classes);
    const changes = range.delta.length;
    if (changes > 0 || most + compacted > start) around.push(range);
    least += Math.max(0, compacted - changes);
    most += compacted + changes;
  }
  return around;
}

const compactedCount = ({ segment }: Range, classes: readonly number[]): number =>
  classes.reduce((sum, one) => sum + (segment?.counts[one] ?? 0), 0);

interface Loaded extends NewestQuery {
  readonly wanted: ReadonlySet<Range>;
  readonly columns: ReadonlyMap<SegmentSummary, Columns>;
  readonly counted: number | undefined;
}

function pageOf(layout: EntryLayout, newestFirst: readonly Range[], query: Loaded): ListIndexPage {
  const { classes, isMatch, bounds, wanted, columns, counted } = query;
  const projected = new ProjectedRows(layout, query);
  const [matching, shown]: [number[], number[]] = [[], []];
  let place = 0;
  for (const range of newestFirst) {
    if (!wanted.has(range)) {
      place += compactedCount(range, classes);
      continue;
    }
    const before = matching.length;
    walk(layout, range, range.segment && columns.get(range.segment), (row) => {
      if (!isMatch(row)) return;
      matching.push(row.id);
      projected.add(row);
    });
    const [from, to] = [Math.max(0, bounds.start - place), Math.max(0, bounds.end - place)];
    const found = matching.length - before;
    for (let at = from; at < Math.min(to, found); at += 1) shown.push(matching.length - 1 - at);
    place += found;
  }
  const ids = shown.map((at) => matching[at] as number);
  return { ids, total: counted ?? place, ...projected.at(shown) };
}
