import { type PageRequest, rowsOfPage } from "../page.ts";

/** Some of the things of a list, such as those of one repository. */
export interface SizedSource<Thing> {
  /** The bytes of all of them together: none is larger. */
  readonly bytes: number;
  /** How many there are. */
  readonly things: number;
  /** The `most` largest, the largest first. */
  readonly largest: (most: number) => Promise<readonly Thing[]>;
}

const sourcesAtOnce = 16;

/**
 * A page of the things of all sources, the largest first, and among equals by id. Reads only the sources that can have a
 * thing on it.
 */
export async function pageOfLargest<Thing extends { readonly id: number; readonly sizeBytes: number }>(
  sources: readonly SizedSource<Thing>[],
  page: PageRequest,
): Promise<{ readonly items: Thing[]; readonly total: number }> {
  const total = sources.reduce((sum, { things }) => sum + things, 0);
  if ((page.page - 1) * page.limit >= total) return { items: [], total };
  const most = Math.min(page.page * page.limit, total);
  const byBytes = sources.filter(({ things }) => things > 0).sort((one, other) => other.bytes - one.bytes);
  let found: Thing[] = [];
  for (let at = 0; at < byBytes.length; at += sourcesAtOnce) {
    const next = byBytes.slice(at, at + sourcesAtOnce);
    const smallest = found.at(most - 1)?.sizeBytes ?? -1;
    if (smallest > (next[0]?.bytes ?? 0)) break;
    const largest = await Promise.all(next.map((source) => source.largest(most)));
    found = [...found, ...largest.flat()].sort(largestThenOldest).slice(0, most);
  }
  return { items: rowsOfPage(found, page), total };
}

type Sized = { readonly id: number; readonly sizeBytes: number };
const largestThenOldest = (one: Sized, other: Sized): number =>
  other.sizeBytes - one.sizeBytes || one.id - other.id;
