import { setTimeout as delay } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { lazyFor } from "../../../lazy.ts";
import type { Table } from "../../../table.ts";
import type { LogChunk } from "../../refs/ref-log.ts";
import { RefTable, type RefUpdate, updateOf } from "../../refs/ref-table.ts";
import { loadRefSegments, MissingRefs, segmentIds } from "./load-segments.ts";
import { readLogChunks } from "./read-log.ts";
import { type Root, readRootItem, rootKey } from "./refs.table.ts";

/** A repository's refs as of one ROOT: every ref in it belongs to the same version. */
export interface RefSnapshot {
  readonly root: Root;
  readonly refs: RefTable;
}

/** Reads ROOT strongly; undefined when the repository has none. */
export async function readRoot(table: Table, repositoryId: number): Promise<Root | undefined> {
  const item = await table.get(rootKey(repositoryId));
  return item === undefined ? undefined : readRootItem(repositoryId, item);
}

interface CachedRefs {
  readonly v: number;
  readonly refs: RefTable;
}

// Weighed in refs: about 0.5 KB each with its branch record.
const cachedRefs = 100_000;

/** Refs by repository, newest version seen. A version never changes, so nothing here is ever wrong. */
const cacheOf = lazyFor(
  (_table: Table) =>
    new LRUCache<number, CachedRefs>({
      maxSize: cachedRefs,
      sizeCalculation: ({ refs }) => refs.entries.length + 1,
    }),
);

const snapshotTries = 3;

/** Reads ROOT strongly and the refs of exactly its version; undefined when the repository has none. */
export async function readSnapshot(table: Table, repositoryId: number): Promise<RefSnapshot | undefined> {
  for (let tries = 1; ; tries += 1) {
    const root = await readRoot(table, repositoryId);
    if (root === undefined) return undefined;
    try {
      return { root, refs: await readRefs(table, root) };
    } catch (error) {
      // The items that an outdated ROOT names may be swept by now.
      if (!(error instanceof MissingRefs) || tries === snapshotTries) throw error;
    }
  }
}

/**
 * The refs of ROOT's version: from the instance's cache, else from the compacted segments and the log since. Throws
 * MissingRefs when a part is missing.
 */
export async function readRefs(table: Table, root: Root): Promise<RefTable> {
  const cache = cacheOf(table);
  const cached = cache.get(root.repositoryId);
  if (cached?.v === root.v) return cached.refs;
  // A cached version above ROOT's belongs to a later read; one below the compacted base may lack log items.
  const isUsable = cached !== undefined && cached.v < root.v && cached.v >= root.base;
  const [start, updates] = await Promise.all([
    isUsable ? cached.refs : compactedRefs(table, root),
    readLog(table, root, isUsable ? cached.v : root.base),
  ]);
  const refs = start.with(updates);
  if (cached === undefined || cached.v < root.v) remember(table, root, refs);
  return refs;
}

/** The refs as of ROOT's `base`. Throws MissingRefs, and the fault of a damaged segment. */
export async function compactedRefs(table: Table, root: Root): Promise<RefTable> {
  const ids = await segmentIds(table, root);
  if (ids.length === 0) return RefTable.empty;
  return new RefTable((await loadRefSegments(table, root.repositoryId, ids)).flat());
}

/** Keeps what a push has just written, so that the next read needs only ROOT. */
export function remember(table: Table, root: Root, refs: RefTable): void {
  cacheOf(table).set(root.repositoryId, { v: root.v, refs });
}

const logTries = 6;
const firstDelayMs = 5;

/**
 * The updates of versions after `since` up to ROOT's. A transaction's items don't appear in one instant, so a missing
 * log item is read again, 5 times over 5 to 100 ms; then MissingRefs.
 */
export async function readLog(table: Table, root: Root, since: number): Promise<RefUpdate[]> {
  if (since >= root.v) return [];
  let missing = since + 1;
  const chunks = new Map<number, LogChunk[]>();
  for (let tries = 0; tries < logTries; tries++) {
    if (tries > 0) await delay(Math.min(firstDelayMs * 2 ** (tries - 1), 100));
    await collectChunks(table, root, missing, chunks);
    while (missing <= root.v && isComplete(chunks.get(missing))) missing += 1;
    if (missing > root.v) return updatesOf(chunks, since, root.v);
  }
  throw new MissingRefs(`repository ${root.repositoryId} lacks log item ${missing} of ${root.v}`);
}

async function collectChunks(table: Table, root: Root, from: number, into: Map<number, LogChunk[]>) {
  for (const chunk of await readLogChunks(table, root.repositoryId, from, root.v)) {
    const known = into.get(chunk.v) ?? [];
    known[chunk.chunk] ??= chunk;
    into.set(chunk.v, known);
  }
}

function isComplete(chunks: readonly LogChunk[] | undefined): boolean {
  const total = chunks?.find((chunk) => chunk !== undefined)?.chunks;
  return total !== undefined && chunks?.filter((chunk) => chunk !== undefined).length === total;
}

function updatesOf(chunks: Map<number, LogChunk[]>, since: number, v: number): RefUpdate[] {
  const updates: RefUpdate[] = [];
  for (let version = since + 1; version <= v; version++) {
    for (const { changes, pusherId, timeMs } of chunks.get(version) ?? []) {
      for (const change of changes) updates.push(updateOf(change, pusherId, timeMs));
    }
  }
  return updates;
}
