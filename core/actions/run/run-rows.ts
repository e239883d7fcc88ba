import type { Matches } from "../../list-index/list-across.ts";
import type { PageRequest } from "../../page.ts";

/** A run in a list: it makes one row, or as many as it has jobs. */
export interface RunRows {
  readonly repositoryId: number;
  readonly number: number;
  /** Seconds. */
  readonly createdAt: number;
  readonly rows: number;
}

/** The first runs of a repository in the order of the list, and the rows of all. */
export interface FoundRows extends Matches {
  readonly rows: readonly RunRows[];
}

/** The runs of some repositories that have rows on a page, and how many rows of the first lie before it. */
export function onPage(
  found: readonly FoundRows[],
  { page, limit }: PageRequest,
  isOldestFirst: boolean,
): { readonly shown: readonly RunRows[]; readonly skipped: number } {
  const newestFirst = (one: RunRows, other: RunRows) =>
    other.createdAt - one.createdAt || other.repositoryId - one.repositoryId || other.number - one.number;
  const all = found.flatMap(({ rows }) => rows).sort(newestFirst);
  if (isOldestFirst) all.reverse();
  const [start, end] = [(page - 1) * limit, page * limit];
  let [before, skipped] = [0, 0];
  const shown = all.filter((run) => {
    const from = before;
    before += run.rows;
    if (before <= start || from >= end) return false;
    if (from <= start) skipped = start - from;
    return true;
  });
  return { shown, skipped };
}
