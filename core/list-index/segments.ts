import { LRUCache } from "lru-cache";
import type { Forge } from "../forge.ts";
import { lazyFor } from "../lazy.ts";
import { keyText, type TableKey } from "../table/write.ts";
import type { Table } from "../table.ts";
import { type EntryLayout, isReadable } from "./entry-kind.ts";
import { columnProblem, rowCount, rowHeadBytes, rowsAt } from "./internal/column.ts";
import { asBuffer } from "./internal/delta.ts";
import { type SegmentItem, segmentKey, textSegmentKey } from "./list-index.table.ts";
import type { SegmentSummary } from "./manifest.ts";
import type { Columns } from "./range.ts";

/** Segments that were asked for; `broken` ones are missing even for a strong read, or can't be read. */
export interface LoadedSegments {
  readonly columns: ReadonlyMap<SegmentSummary, Columns>;
  readonly broken: ReadonlyMap<SegmentSummary, string>;
}

/** How many bytes of segments a process keeps, for all indexes together. */
export const cacheBytes = 64 * 1024 * 1024;
/** About what an entry of the cache costs beside its bytes. */
const overheadBytes = 400;

/** Columns by key. Immutable columns are never wrong, so they are dropped only for room. */
export const cacheOf = lazyFor(
  (_table: Table) =>
    new LRUCache<string, Buffer>({
      maxSize: cacheBytes,
      sizeCalculation: (bytes) => bytes.buffer.byteLength + overheadBytes,
    }),
);

/** The keys of a segment's columns. */
export function columnKeys(
  partition: string,
  { first, id, textId }: SegmentSummary,
): { entries: TableKey; texts: TableKey | undefined } {
  return {
    entries: segmentKey(partition, first, id),
    texts: textId === undefined ? undefined : textSegmentKey(partition, first, textId),
  };
}

/** Whether a segment's entries are in memory. */
export const isCached = ({ table }: Pick<Forge, "table">, partition: string, segment: SegmentSummary) =>
  cacheOf(table).has(keyText(columnKeys(partition, segment).entries));

/**
 * Loads segments: from memory, else eventually consistent, because immutable ones can't be stale. A segment that such a
 * read does not find is read again, strongly. A column with an entry of another format counts as broken.
 */
export async function loadSegments(
  { table }: Pick<Forge, "table">,
  { partition, layout }: { readonly partition: string; readonly layout: EntryLayout },
  segments: readonly SegmentSummary[],
  { withTexts = false } = {},
): Promise<LoadedSegments> {
  const wanted = new Map<string, WantedColumn>();
  for (const segment of segments) {
    const { entries, texts } = columnKeys(partition, segment);
    for (const key of withTexts && texts !== undefined ? [entries, texts] : [entries]) {
      const { first } = segment;
      const layoutOfRows = key === entries ? layout : undefined;
      wanted.set(keyText(key), { key, first, layout: layoutOfRows });
    }
  }
  const found = await loadColumns(table, wanted);
  const columns = new Map<SegmentSummary, Columns>();
  const broken = new Map<SegmentSummary, string>();
  for (const segment of segments) {
    const keys = columnKeys(partition, segment);
    const entries = found.get(keyText(keys.entries)) ?? "missing";
    const texts = withTexts && keys.texts !== undefined && (found.get(keyText(keys.texts)) ?? "missing");
    if (typeof entries === "string") broken.set(segment, entries);
    else if (typeof texts === "string") broken.set(segment, `texts: ${texts}`);
    else columns.set(segment, texts === false ? { entries } : { entries, texts });
  }
  return { columns, broken };
}

/** Logs segments that are going to be rebuilt. */
export function logBrokenSegments(
  { log }: Pick<Forge, "log">,
  { name }: { readonly name: string },
  segments: readonly (readonly [SegmentSummary, string])[],
): void {
  for (const [{ first, id }, problem] of segments) {
    log.error("list-index:segment-broken", { index: name, first, segment: id, problem });
  }
}

interface WantedColumn {
  readonly key: TableKey;
  readonly first: number;
  /** The layout of the column's rows, when they are entries. */
  readonly layout: EntryLayout | undefined;
}
type Wanted = ReadonlyMap<string, WantedColumn>;

/** Columns by key, or what is wrong with them; missing ones are absent. */
async function loadColumns(table: Table, wanted: Wanted): Promise<Map<string, Buffer | string>> {
  const cache = cacheOf(table);
  const found = new Map<string, Buffer | string>();
  for (const name of wanted.keys()) {
    const cached = cache.get(name);
    if (cached !== undefined) found.set(name, cached);
  }
  for (const isConsistent of [false, true]) {
    const missing = [...wanted].filter(([name]) => !found.has(name));
    if (missing.length === 0) break;
    const items = await table.getAll<SegmentItem>(
      missing.map(([, { key }]) => key),
      { isConsistent },
    );
    for (const [name, { first, layout }] of missing) {
      const item = items.get(name);
      if (item === undefined) continue;
      const column = item.b instanceof Uint8Array ? asBuffer(item.b) : Buffer.alloc(0);
      const problem = columnProblem(column, first) ?? (layout && entryProblem(layout, column));
      found.set(name, problem ?? column);
      if (problem === undefined) cache.set(name, column);
    }
  }
  return found;
}

/** What is wrong with the entries of a column; undefined when all have the format that this program reads. */
function entryProblem(layout: EntryLayout, column: Buffer): string | undefined {
  let at = rowsAt;
  for (let left = rowCount(column); left > 0; left -= 1) {
    at += rowHeadBytes;
    if (!isReadable(layout, column, at)) return `an entry of unknown format ${column[at]}`;
    at += layout.length(column, at);
  }
  return undefined;
}
