import type { Forge } from "../../../forge.ts";
import { randomId } from "../../../ids.ts";
import { dueWrite } from "../../../jobs/due.ts";
import { absent } from "../../../table/condition.ts";
import { type Item, put } from "../../../table/write.ts";
import type { Table } from "../../../table.ts";
import { compareRefNames } from "../../refs/ref-name.ts";
import { splitIntoSegments } from "../../refs/ref-segment.ts";
import { type RefEntry, RefTable, type RefUpdate } from "../../refs/ref-table.ts";
import { changeRoot } from "../store.ts";
import { loadRefSegments, segmentIds } from "./load-segments.ts";
import { type Root, segmentKey, segmentListKey } from "./refs.table.ts";
import { readLog, readRoot } from "./snapshot.ts";
import { type LogSweep, logGraceMs, logSweepKind, segmentGraceMs, sweepRefSegmentsLater } from "./sweep.ts";

/** The stores for a compaction of refs. */
export type CompactionStores = Pick<Forge, "table" | "clock" | "log">;

/** The end of a compaction. `lost`: another one was faster. `nothing`: the log is short, or there is no repository. */
export type RefCompactionOutcome = "compacted" | "lost" | "nothing";

/** How many versions of the log are compacted at a time. */
const longestLog = 32;
/** More segments lie in a list of their own, which ROOT names. */
const mostInRoot = 64;
const writesAtOnce = 16;
/** A quarter of the time after which items that no ROOT names are swept. */
const longestCompactionMs = segmentGraceMs / 4;

/**
 * Moves the log into segments once it has 32 versions. Only segments whose refs have moved are written, under names of
 * their own; ROOT moves `base` on the condition that no other compaction did. After a push in between it tries again
 * with the written segments. The log stays for a day.
 */
export async function compactRefs(
  stores: CompactionStores,
  repositoryId: number,
  { least = longestLog } = {},
): Promise<RefCompactionOutcome> {
  const root = await readRoot(stores.table, repositoryId);
  if (root === undefined || root.state !== "live" || root.v - root.base < Math.max(least, 1))
    return "nothing";
  const startedAt = stores.clock.now();
  const plan = await planRefCompaction(stores, root);
  await writeSegments(stores, plan);
  const outcome = await moveBase(stores, plan, startedAt);
  const { written, items } = plan;
  // One that slept may have written its segments when their sweep was over: they get another.
  if (isTooOld(stores, startedAt)) await sweepRefSegmentsLater(stores, repositoryId, written);
  stores.log.info("refs:compacted", {
    repositoryId,
    outcome,
    to: root.v,
    segments: written.length,
    items: items.length,
  });
  return outcome;
}

/** The writes of a compaction of the refs up to ROOT's version. */
export interface RefCompactionPlan {
  readonly root: Root;
  readonly segments: readonly string[];
  readonly segmentList: string;
  /** New items: segments, and their list if there is one. */
  readonly items: readonly Item[];
  readonly written: readonly string[];
  /** Sort keys that ROOT does not name any more afterwards. */
  readonly replaced: readonly string[];
}

/** Plans the segments for the refs of ROOT's version. `newId` names new ones. */
export async function planRefCompaction(
  { table }: Pick<CompactionStores, "table">,
  root: Root,
  newId: () => string = randomId,
): Promise<RefCompactionPlan> {
  const oldIds = await segmentIds(table, root);
  const old = await loadRefSegments(table, root.repositoryId, oldIds);
  return planSegments(root, { oldIds, old }, await readLog(table, root, root.base), newId);
}

/** The segments that are there, by the order of their names. */
interface OldSegments {
  readonly oldIds: readonly string[];
  readonly old: readonly (readonly RefEntry[])[];
}

/** The same without reading: the old segments after these updates; without old ones, a repository's first. */
export function planSegments(
  root: Root,
  { oldIds, old }: OldSegments,
  updates: readonly RefUpdate[],
  newId: () => string = randomId,
): RefCompactionPlan {
  const { repositoryId, objectFormat } = root;
  const items: Item[] = [];
  const ids = divide(old, updates).flatMap((own, place): string[] => {
    const [id, entries = []] = [oldIds[place], old[place]];
    if (own.length === 0) return id === undefined ? [] : [id];
    return splitIntoSegments(objectFormat, new RefTable(entries).with(own).entries).map(({ bytes }) => {
      const written = newId();
      items.push({ ...segmentKey(repositoryId, written), refs: bytes, _v: 1 });
      return written;
    });
  });
  const segmentList = ids.length > mostInRoot ? newId() : "";
  if (segmentList !== "") items.push({ ...segmentListKey(repositoryId, segmentList), ids, _v: 1 });
  const kept = new Set(ids);
  const replaced = oldIds.filter((id) => !kept.has(id)).map((id) => segmentKey(repositoryId, id).sk);
  if (root.segmentList !== "") replaced.push(segmentListKey(repositoryId, root.segmentList).sk);
  const written = items.map(({ sk }) => sk);
  return { root, segments: segmentList === "" ? ids : [], segmentList, items, written, replaced };
}

/** The updates of each segment: a segment holds the names from its first one up to the next segment's. */
function divide(old: readonly (readonly RefEntry[])[], updates: readonly RefUpdate[]): RefUpdate[][] {
  const parts: RefUpdate[][] = Array.from({ length: Math.max(1, old.length) }, () => []);
  const firstNames = old.map((entries) => entries[0]?.name ?? "");
  for (const update of updates) {
    let low = 0;
    let high = firstNames.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareRefNames(firstNames[middle] as string, update.name) <= 0) low = middle + 1;
      else high = middle;
    }
    parts[Math.max(0, low - 1)]?.push(update);
  }
  return parts;
}

/** Writes the new segments, after a note of what to sweep later: segments in an hour, the log in a day. */
export async function writeSegments(
  { table, clock }: Pick<CompactionStores, "table" | "clock">,
  { root, items, written, replaced }: RefCompactionPlan,
): Promise<void> {
  const { repositoryId, v } = root;
  const key = `${repositoryId}#${randomId()}`;
  const log: LogSweep = { repositoryId, to: v };
  await sweepRefSegmentsLater({ table, clock }, repositoryId, [...written, ...replaced]);
  await table.write(dueWrite(logSweepKind, clock.now() + logGraceMs, key, log));
  await writeNew(table, items);
}

/** Writes segments under new names, which nobody reads before a ROOT names them. */
export async function writeNew(table: Table, items: readonly Item[]): Promise<void> {
  for (let at = 0; at < items.length; at += writesAtOnce) {
    // Names are random: an item that exists already is our own, from a write whose answer got lost.
    await Promise.all(items.slice(at, at + writesAtOnce).map((item) => table.write(put(item, absent))));
  }
}

/**
 * Points ROOT at the new segments, unless another compaction did, or so much time has passed that they may be swept.
 */
async function moveBase(
  stores: CompactionStores,
  { root, segments, segmentList }: RefCompactionPlan,
  startedAt: number,
): Promise<RefCompactionOutcome> {
  let hasLost = false;
  const { kind } = await changeRoot(stores, root.repositoryId, (current) => {
    hasLost = current.base !== root.base || isTooOld(stores, startedAt);
    return hasLost ? undefined : { changes: { base: root.v, segments, segmentList } };
  });
  return kind === "done" && !hasLost ? "compacted" : "lost";
}

const isTooOld = ({ clock }: CompactionStores, startedAt: number): boolean =>
  clock.now() - startedAt > longestCompactionMs;
