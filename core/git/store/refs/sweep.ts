import type { Forge } from "../../../forge.ts";
import { padded, randomId } from "../../../ids.ts";
import { dueWrite, settleDue } from "../../../jobs/due.ts";
import type { Table } from "../../../table.ts";
import { segmentIds } from "./load-segments.ts";
import {
  gitPartition,
  type LogItem,
  logPrefix,
  type Root,
  replaceRoot,
  segmentKey,
  segmentListKey,
  stagedPrefix,
} from "./refs.table.ts";
import { readRoot } from "./snapshot.ts";

/** Items that a compaction wrote or replaced: an hour later, those that ROOT does not name are removed. */
export interface RefSegmentSweep {
  readonly repositoryId: number;
  /** Sort keys. */
  readonly keys: readonly string[];
}
/**
 * Versions of the log that a compaction has taken in, up to `to`: they stay a day, as reflog and for events on their
 * way.
 */
export interface LogSweep {
  readonly repositoryId: number;
  readonly to: number;
}

export const segmentSweepKind = "ref-segments";
export const logSweepKind = "ref-log";
/** How long readers that hold an older ROOT are given. */
export const segmentGraceMs = 3_600_000;
export const logGraceMs = 24 * 3_600_000;
const itemsPerQuery = 50;

/** Schedules a look at segments of a repository's refs in an hour, by their sort keys. */
export async function sweepRefSegmentsLater(
  { table, clock }: Pick<Forge, "table" | "clock">,
  repositoryId: number,
  keys: readonly string[],
): Promise<void> {
  const sweep: RefSegmentSweep = { repositoryId, keys };
  const key = `${repositoryId}#${randomId()}`;
  await table.write(dueWrite(segmentSweepKind, clock.now() + segmentGraceMs, key, sweep));
}

type SweepStores = Pick<Forge, "table" | "clock" | "log">;

/**
 * For the tick: removes ref segments that no ROOT names, of compactions that are an hour old. Answers how many
 * compactions.
 */
export const sweepRefSegments = (stores: SweepStores): Promise<number> =>
  settleDue<RefSegmentSweep>(stores, segmentSweepKind, (due) => removeUnnamed(stores.table, due));

/** For the tick: removes compacted parts of logs, a day after the compaction. Answers how many compactions. */
export const sweepRefLogs = (stores: SweepStores): Promise<number> =>
  settleDue<LogSweep>(stores, logSweepKind, (due) => removeCompacted(stores.table, due));

/** False when another wrote ROOT meanwhile: the next tick tries again. */
async function removeUnnamed(table: Table, { repositoryId, keys }: RefSegmentSweep): Promise<boolean> {
  const pk = gitPartition(repositoryId);
  const root = await readRoot(table, repositoryId);
  const named = root === undefined ? new Set<string>() : await namedKeys(table, root);
  const unnamed = keys.filter((sk) => !named.has(sk));
  if (unnamed.length === 0) return true;
  // A frozen compaction may wake up now: after this its ROOT is outdated; it reads again, and finds itself too old.
  if (root !== undefined && !(await table.transact([replaceRoot(root, {})])).committed) return false;
  await table.removeAll(unnamed.map((sk) => ({ pk, sk })));
  return true;
}

/** Sort keys of the segments that ROOT names, and of their list. Throws MissingRefs. */
export async function namedKeys(table: Table, root: Root): Promise<Set<string>> {
  const { repositoryId, segmentList } = root;
  const ids = await segmentIds(table, root);
  const named = new Set(ids.map((id) => segmentKey(repositoryId, id).sk));
  if (segmentList !== "") named.add(segmentListKey(repositoryId, segmentList).sk);
  return named;
}

async function removeCompacted(table: Table, { repositoryId, to }: LogSweep): Promise<boolean> {
  const root = await readRoot(table, repositoryId);
  // The compaction was lost: the winner has noted a sweep of its own.
  if (root !== undefined && root.base < to) return true;
  const pk = gitPartition(repositoryId);
  const run = { pk, from: logPrefix, to: `${logPrefix}${padded(to)}#~`, limit: itemsPerQuery };
  for (let after: string | undefined, isMore = true; isMore; isMore = after !== undefined) {
    const page = await table.query<LogItem>(after === undefined ? run : { ...run, after });
    for (const { staged } of page.items) {
      if (staged === undefined) continue;
      await table.removeAll(await table.queryAll({ pk, prefix: stagedPrefix(staged) }));
    }
    await table.removeAll(page.items);
    after = page.next;
  }
  return true;
}
