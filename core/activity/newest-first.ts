import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { type Activity, activitiesBetween } from "./activity.table.ts";

/** A partition of activities, and when the newest of them happened, at the latest (milliseconds). */
export interface Source {
  readonly pk: string;
  readonly newestAt: number;
}

/** A time: from its beginning on, up to but without its end (milliseconds). */
export interface Span {
  readonly fromMs: number;
  readonly endMs: number;
}

interface Reading {
  readonly pk: string;
  /** Nothing newer than this is left to read. */
  readonly boundary: number;
  readonly after?: string;
}

const sourcesAtOnce = 25;
const mostQueries = 200;
const mostRows = 5_000;

/**
 * The activities of all sources, newest first, in groups. Only sources that may hold what comes next are read: who asks
 * for twenty looks into twenty of them at the most, and into 25 at a time. Returns whether these were all: it ends after
 * 5,000 activities or 200 queries, with what it has found until then, though newer ones may be where it did not look.
 */
export async function* newestFirst(
  { table }: Pick<Forge, "table">,
  sources: readonly Source[],
  { fromMs, endMs }: Span,
  rowsPerQuery: number,
): AsyncGenerator<Activity[], boolean> {
  let open: Reading[] = sources
    .filter(({ newestAt }) => newestAt >= fromMs)
    .map(({ pk, newestAt }) => ({ pk, boundary: Math.min(newestAt, endMs) }));
  let held: Activity[] = [];
  let [queries, rows] = [0, 0];
  while (open.length > 0) {
    if (queries >= mostQueries || rows >= mostRows) {
      if (held.length > 0) yield newestOf(held);
      return false;
    }
    open.sort((one, other) => other.boundary - one.boundary);
    const next = open.slice(0, sourcesAtOnce);
    const pages = await Promise.all(
      next.map(({ pk, after }) =>
        table.query<Activity>({
          ...activitiesBetween(pk, fromMs, endMs),
          ...defined({ after }),
          ...{ reverse: true, limit: rowsPerQuery, isConsistent: false },
        }),
      ),
    );
    queries += pages.length;
    held.push(...pages.flatMap(({ items }) => items));
    rows += pages.reduce((sum, { items }) => sum + items.length, 0);
    const left = pages.flatMap(({ items, next: after }, place) => {
      const { pk = "" } = next[place] ?? {};
      const last = items.at(-1);
      return after === undefined || last === undefined ? [] : [{ pk, after, boundary: last.at }];
    });
    open = [...open.slice(sourcesAtOnce), ...left];
    const horizon = open.reduce((newest, { boundary }) => Math.max(newest, boundary), -1);
    const ready = held.filter(({ at }) => at > horizon);
    held = held.filter(({ at }) => at <= horizon);
    if (ready.length > 0) yield newestOf(ready);
  }
  return true;
}

const newestOf = (activities: Activity[]): Activity[] =>
  activities.sort((one, other) => (one.sk < other.sk ? 1 : -1));
