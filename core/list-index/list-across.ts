import type { PageRequest } from "../page.ts";

/** The matches of one of several lists: as many as a page may need, and how many there are. */
export interface Matches {
  readonly total: number;
}

/** What several lists have for a page of all of them; `isWhole` is false when time ran out first (D-TIME). */
interface Across<Found> {
  readonly found: readonly Found[];
  readonly total: number;
  readonly isWhole: boolean;
}

/** How many rows before and on a page are collected without counting first: more than there are lists. */
const mostUncounted = 1_000;
/** How many lists are read at once. */
const atOnce = 20;
/** How long it looks into lists: the rest is left out (D-TIME). */
const longestMs = 15_000;

/**
 * The matches of each list for one page of all: `find` is asked for a list's first rows up to the end of the page. For a
 * deep page it counts the matches first: nobody can make the service hold every row by asking for a page that does not
 * exist.
 */
export async function listAcross<Place, Found extends Matches>(
  places: readonly Place[],
  { page, limit }: PageRequest,
  find: (place: Place, upTo: PageRequest) => Promise<Found>,
): Promise<Across<Found>> {
  const findAll = async (rows: number): Promise<Across<Found>> => {
    const found = await inBatches(places, (place) => find(place, { page: 1, limit: rows }));
    const total = found.reduce((sum, one) => sum + one.total, 0);
    return { found, total, isWhole: found.length === places.length };
  };
  if (page * limit <= mostUncounted) return findAll(page * limit);
  const counted = await findAll(1);
  const isPast = counted.isWhole && (page - 1) * limit >= counted.total;
  return isPast ? counted : findAll(page * limit);
}

/** Some at a time, as far as time allows. */
async function inBatches<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  const until = performance.now() + longestMs;
  for (let at = 0; at < all.length && performance.now() < until; at += atOnce) {
    done.push(...(await Promise.all(all.slice(at, at + atOnce).map(work))));
  }
  return done;
}
