import type { Forge } from "../../forge.ts";
import { longestSegmentBytes, type MergedRow, mergedRows, type Rewrite, sizeOf } from "../rewrite.ts";
import { loadSegments } from "../segments.ts";
import type { Stretch } from "../stretch.ts";
import type { DirectoryPlace } from "../view.ts";

/** Segments are joined only up to this size, so that they are not split again soon. */
const mostJoinedBytes = longestSegmentBytes / 2;

/** Neighbors that become one segment: their rows with the delta taken in. */
interface Run {
  readonly stretches: Stretch[];
  rows: readonly MergedRow[];
}

/**
 * Joins segments that have shrunk. A block that was split over its size turns into many small segments when its entries
 * get shorter or fewer. Each rewrite takes in neighbors of its block up to half a segment. It costs nothing for whole
 * blocks, which nearly all are.
 */
export async function joinShrunken(
  forge: Forge,
  directory: DirectoryPlace,
  stretches: readonly Stretch[],
  rewrites: readonly Rewrite[],
): Promise<Rewrite[]> {
  const places = new Map(stretches.map((stretch, place) => [stretch, place]));
  const isNeighbor = (one: Stretch, other: Stretch | undefined): other is Stretch =>
    other?.segment !== undefined && blockOf(directory, one) === blockOf(directory, other);
  const taken = new Set<Stretch>();
  const joined: Rewrite[] = [];
  for (const rewrite of rewrites) {
    const { stretch, isFromItems = false } = rewrite;
    if (taken.has(stretch)) continue;
    const place = places.get(stretch) ?? -1;
    const around = [stretches[place - 1], stretches[place + 1]];
    const mayJoin = !isFromItems && stretch.segment !== undefined;
    if (!mayJoin || !around.some((one) => isNeighbor(stretch, one))) {
      joined.push(rewrite);
      continue;
    }
    const mayTake = (one: Stretch | undefined): one is Stretch => isNeighbor(stretch, one) && !taken.has(one);
    const run = await runAround(forge, directory, stretches, place, mayTake);
    for (const one of run?.stretches ?? []) taken.add(one);
    joined.push(run === undefined ? rewrite : asRewrite(run));
  }
  return joined.filter(({ stretch, rows }) => rows !== undefined || !taken.has(stretch));
}

const blockOf = ({ layout }: DirectoryPlace, { first }: Stretch): number => Math.floor(first / layout.span);

/** The range with the neighbors that fit; undefined when it stays alone. */
async function runAround(
  forge: Forge,
  directory: DirectoryPlace,
  stretches: readonly Stretch[],
  place: number,
  mayTake: (one: Stretch | undefined) => one is Stretch,
): Promise<Run | undefined> {
  const own = stretches[place] as Stretch;
  const rows = await rowsOf(forge, directory, own);
  if (rows === undefined || sizeOf(rows) > mostJoinedBytes) return undefined;
  const run: Run = { stretches: [own], rows };
  const takeNext = async (next: Stretch | undefined, isBefore: boolean): Promise<boolean> => {
    if (!mayTake(next)) return false;
    const more = await rowsOf(forge, directory, next);
    if (more === undefined) return false;
    const all = isBefore ? [...more, ...run.rows] : [...run.rows, ...more];
    if (sizeOf(all) > mostJoinedBytes) return false;
    run.rows = all;
    if (isBefore) run.stretches.unshift(next);
    else run.stretches.push(next);
    return true;
  };
  for (let at = place - 1; await takeNext(stretches[at], true); at -= 1);
  for (let at = place + 1; await takeNext(stretches[at], false); at += 1);
  return run.stretches.length > 1 ? run : undefined;
}

/** Undefined when the segment can't be had: broken segments are rebuilt, not joined. */
async function rowsOf(forge: Forge, directory: DirectoryPlace, stretch: Stretch) {
  const { segment } = stretch;
  if (segment === undefined) return undefined;
  const { columns } = await loadSegments(forge, directory, [segment], { withTexts: true });
  const loaded = columns.get(segment);
  return loaded && mergedRows(directory.layout, stretch, loaded);
}

function asRewrite({ stretches, rows }: Run): Rewrite {
  const first = stretches[0]?.first ?? 0;
  const end = stretches.at(-1)?.end ?? first;
  const tail = stretches.flatMap((stretch) => stretch.tail);
  return { stretch: { first, end, tail }, replaces: stretches.flatMap(({ segment }) => segment ?? []), rows };
}
