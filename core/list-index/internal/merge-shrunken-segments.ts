import type { Forge } from "../../forge.ts";
import type { Range } from "../range.ts";
import { longestSegmentBytes, type MergedRow, mergedRows, type Rewrite, sizeOf } from "../rewrite.ts";
import { loadSegments } from "../segments.ts";
import type { ListIndexPlace } from "../view.ts";

/** Segments are merged only up to this size, so that they are not split again soon. */
const mostMergedBytes = longestSegmentBytes / 2;

/** Neighbors that become one segment: their rows with the delta taken in. */
interface Run {
  readonly ranges: Range[];
  rows: readonly MergedRow[];
}

/**
 * Merges segments that have shrunk. A block that was split over its size turns into many small segments when its entries
 * get shorter or fewer. Each rewrite takes in neighbors of its block up to half a segment. It costs nothing for whole
 * blocks, which nearly all are.
 */
export async function mergeShrunkenSegments(
  forge: Forge,
  index: ListIndexPlace,
  ranges: readonly Range[],
  rewrites: readonly Rewrite[],
): Promise<Rewrite[]> {
  const places = new Map(ranges.map((range, place) => [range, place]));
  const isNeighbor = (one: Range, other: Range | undefined): other is Range =>
    other?.segment !== undefined && blockOf(index, one) === blockOf(index, other);
  const taken = new Set<Range>();
  const merged: Rewrite[] = [];
  for (const rewrite of rewrites) {
    const { range, isFromItems = false } = rewrite;
    if (taken.has(range)) continue;
    const place = places.get(range) ?? -1;
    const around = [ranges[place - 1], ranges[place + 1]];
    const mayJoin = !isFromItems && range.segment !== undefined;
    if (!mayJoin || !around.some((one) => isNeighbor(range, one))) {
      merged.push(rewrite);
      continue;
    }
    const mayTake = (one: Range | undefined): one is Range => isNeighbor(range, one) && !taken.has(one);
    const run = await runAround(forge, index, ranges, place, mayTake);
    for (const one of run?.ranges ?? []) taken.add(one);
    merged.push(run === undefined ? rewrite : asRewrite(run));
  }
  return merged.filter(({ range, rows }) => rows !== undefined || !taken.has(range));
}

const blockOf = ({ layout }: ListIndexPlace, { first }: Range): number => Math.floor(first / layout.span);

/** The range with the neighbors that fit; undefined when it stays alone. */
async function runAround(
  forge: Forge,
  index: ListIndexPlace,
  ranges: readonly Range[],
  place: number,
  mayTake: (one: Range | undefined) => one is Range,
): Promise<Run | undefined> {
  const own = ranges[place] as Range;
  const rows = await rowsOf(forge, index, own);
  if (rows === undefined || sizeOf(rows) > mostMergedBytes) return undefined;
  const run: Run = { ranges: [own], rows };
  const takeNext = async (next: Range | undefined, isBefore: boolean): Promise<boolean> => {
    if (!mayTake(next)) return false;
    const more = await rowsOf(forge, index, next);
    if (more === undefined) return false;
    const all = isBefore ? [...more, ...run.rows] : [...run.rows, ...more];
    if (sizeOf(all) > mostMergedBytes) return false;
    run.rows = all;
    if (isBefore) run.ranges.unshift(next);
    else run.ranges.push(next);
    return true;
  };
  for (let at = place - 1; await takeNext(ranges[at], true); at -= 1);
  for (let at = place + 1; await takeNext(ranges[at], false); at += 1);
  return run.ranges.length > 1 ? run : undefined;
}

/** Undefined when the segment can't be had: broken segments are rebuilt, not merged. */
async function rowsOf(forge: Forge, index: ListIndexPlace, range: Range) {
  const { segment } = range;
  if (segment === undefined) return undefined;
  const { columns } = await loadSegments(forge, index, [segment], { withTexts: true });
  const loaded = columns.get(segment);
  return loaded && mergedRows(index.layout, range, loaded);
}

function asRewrite({ ranges, rows }: Run): Rewrite {
  const first = ranges[0]?.first ?? 0;
  const end = ranges.at(-1)?.end ?? first;
  const delta = ranges.flatMap((range) => range.delta);
  return { range: { first, end, delta }, replaces: ranges.flatMap(({ segment }) => segment ?? []), rows };
}
