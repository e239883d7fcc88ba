import type { Forge } from "../../forge.ts";
import type { EntryLayout, Row } from "../entry-kind.ts";
import { type DirectoryPage, type PageBounds, type Telling, Told } from "../page.ts";
import type { SegmentSummary } from "../pointer.ts";
import { type Columns, type Stretch, walk } from "../stretch.ts";
import {
  BrokenSegments,
  type DirectoryPlace,
  type DirectoryView,
  isAtHand,
  loadStretches,
  type Mended,
} from "../view.ts";

/** A page by falling ids of entries of some classes that `isMatch` accepts. */
export interface NewestQuery extends Telling {
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
  directory: DirectoryPlace,
  { stretches }: DirectoryView,
  query: NewestQuery,
): Promise<DirectoryPage | BrokenSegments> {
  const { bounds, classes, countTotal } = query;
  const newestFirst = [...stretches].reverse();
  const wanted = new Set(stretchesAround(newestFirst, classes, bounds));
  const unclear = newestFirst.filter((one) => one.tail.length > 0 && !wanted.has(one));
  const isCountable = unclear.every((one) => isAtHand(forge, directory, one));
  if (isCountable || countTotal === undefined) for (const one of unclear) wanted.add(one);
  const [columns, counted] = await Promise.all([
    loadStretches(forge, directory, [...wanted], { mended: query.mended }),
    isCountable ? undefined : countTotal?.(),
  ]);
  if (columns instanceof BrokenSegments) return columns;
  return pageOf(directory.layout, newestFirst, { ...query, wanted, columns, counted });
}

/** The ranges that may hold a part of the page, and those before its end whose count the delta makes unclear. */
function stretchesAround(
  newestFirst: readonly Stretch[],
  classes: readonly number[],
  { start, end }: PageBounds,
): Stretch[] {
  const around: Stretch[] = [];
  let [least, most] = [0, 0];
  for (const stretch of newestFirst) {
    if (least >= end || start >= end) break;
    const folded = foldedCount(stretch, classes);
    const changes = stretch.tail.length;
    if (changes > 0 || most + folded > start) around.push(stretch);
    least += Math.max(0, folded - changes);
    most += folded + changes;
  }
  return around;
}

const foldedCount = ({ segment }: Stretch, classes: readonly number[]): number =>
  classes.reduce((sum, one) => sum + (segment?.counts[one] ?? 0), 0);

interface Loaded extends NewestQuery {
  readonly wanted: ReadonlySet<Stretch>;
  readonly columns: ReadonlyMap<SegmentSummary, Columns>;
  readonly counted: number | undefined;
}

function pageOf(layout: EntryLayout, newestFirst: readonly Stretch[], query: Loaded): DirectoryPage {
  const { classes, isMatch, bounds, wanted, columns, counted } = query;
  const told = new Told(layout, query);
  const [matching, shown]: [number[], number[]] = [[], []];
  let place = 0;
  for (const stretch of newestFirst) {
    if (!wanted.has(stretch)) {
      place += foldedCount(stretch, classes);
      continue;
    }
    const before = matching.length;
    walk(layout, stretch, stretch.segment && columns.get(stretch.segment), (row) => {
      if (!isMatch(row)) return;
      matching.push(row.id);
      told.add(row);
    });
    const [from, to] = [Math.max(0, bounds.start - place), Math.max(0, bounds.end - place)];
    const found = matching.length - before;
    for (let at = from; at < Math.min(to, found); at += 1) shown.push(matching.length - 1 - at);
    place += found;
  }
  const ids = shown.map((at) => matching[at] as number);
  return { ids, total: counted ?? place, ...told.at(shown) };
}
