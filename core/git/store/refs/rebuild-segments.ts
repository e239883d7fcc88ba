import type { Table } from "../../../table.ts";
import { decodeRefSegment } from "../../refs/ref-segment.ts";
import { changeRoot } from "../store.ts";
import { type CompactionStores, planSegments, writeNew } from "./compaction.ts";
import { MissingRefs, segmentIds } from "./load-segments.ts";
import { gitPartition, type Root, type SegmentItem, segmentKey, segmentListKey } from "./refs.table.ts";
import { readLog } from "./snapshot.ts";
import { sweepRefSegmentsLater } from "./sweep.ts";

/** An unreadable item of ROOT's compacted refs, by its sort key. */
export interface BrokenRefs {
  readonly sk: string;
  readonly problem: string;
}

/** The missing or damaged parts of ROOT's compacted refs, read past all caches. */
export async function findBrokenRefs(table: Table, root: Root): Promise<BrokenRefs[]> {
  const { repositoryId, segmentList } = root;
  const ids = await segmentIds(table, root).catch((error: unknown) => {
    if (error instanceof MissingRefs) return undefined;
    throw error;
  });
  if (ids === undefined) {
    return [{ sk: segmentListKey(repositoryId, segmentList).sk, problem: "the list of segments is missing" }];
  }
  const keys = ids.map((id) => segmentKey(repositoryId, id));
  const found = await table.getAll<SegmentItem>(keys);
  const bySortKey = new Map([...found.values()].map((item) => [item.sk, item]));
  return keys.flatMap(({ sk }): BrokenRefs[] => {
    const problem = problemOf(bySortKey.get(sk));
    return problem === undefined ? [] : [{ sk, problem }];
  });
}

function problemOf(item: SegmentItem | undefined): string | undefined {
  if (item === undefined) return "the segment is missing";
  try {
    decodeRefSegment(item.refs);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Whether the log still goes back to the first push: up to a day after its compaction, and never in a fork. */
export async function isLogWhole(table: Table, root: Root): Promise<boolean> {
  return (await wholeLog(table, root)) !== undefined;
}

/**
 * Rewrites the compacted refs from the whole log; false when there is none, or when another compaction came meanwhile.
 */
export async function rebuildFromLog(stores: CompactionStores, root: Root): Promise<boolean> {
  const { repositoryId, base } = root;
  const updates = await wholeLog(stores.table, root);
  if (updates === undefined) return false;
  const { items, written, segments, segmentList } = planSegments(root, { oldIds: [], old: [] }, updates);
  await sweepRefSegmentsLater(stores, repositoryId, [...written, ...(await lyingThere(stores.table, root))]);
  await writeNew(stores.table, items);
  let isStill = false;
  const { kind } = await changeRoot(stores, repositoryId, (current) => {
    const { base: compactedTo, segmentList: list, segments: ids } = current;
    isStill = compactedTo === base && list === root.segmentList && ids.join() === root.segments.join();
    return isStill ? { changes: { segments, segmentList } } : undefined;
  });
  return kind === "done" && isStill;
}

async function wholeLog(table: Table, root: Root) {
  try {
    return await readLog(table, { ...root, v: root.base }, 0);
  } catch (error) {
    if (error instanceof MissingRefs) return undefined;
    throw error;
  }
}

/** The items named so far: all of them are replaced. */
async function lyingThere(table: Table, { repositoryId }: Root): Promise<string[]> {
  const pk = gitPartition(repositoryId);
  const found = await Promise.all(["S#", "SL#"].map((prefix) => table.queryAll({ pk, prefix })));
  return found.flat().map(({ sk }) => sk);
}
