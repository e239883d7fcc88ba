import type { Forge } from "../forge.ts";
import type { EntryLayout } from "./entry-kind.ts";
import { type ColumnRow, encodeColumn, rowHeadBytes, rowsAt } from "./internal/column.ts";
import type { DeltaRow } from "./internal/delta.ts";
import { type SegmentItem, segmentKey, textSegmentKey } from "./list-index.table.ts";
import type { SegmentSummary } from "./manifest.ts";
import { type Columns, type Range, walk } from "./range.ts";
import type { ListIndexPlace } from "./view.ts";

/** Segments are halved until they are no longer than this, or hold a single entry. */
export const longestSegmentBytes = 100_000;

/** A range to rewrite, and the segments that it replaces. */
export interface Rewrite {
  readonly range: Range;
  readonly replaces: readonly SegmentSummary[];
  /** Rebuilds the entries from their items, whatever the segments say. */
  readonly isFromItems?: boolean;
  /** Its rows with the delta taken in, when several segments become one. */
  readonly rows?: readonly MergedRow[];
}

/** The segments that replace a range, and those of their columns that are not in the table yet. */
export interface Rewritten {
  readonly segments: readonly SegmentSummary[];
  readonly items: readonly SegmentItem[];
}

/** An entry and its text, ready to be written. */
export interface MergedRow {
  readonly id: number;
  readonly bytes: Buffer;
  readonly text: Buffer;
}

/** Rewrites a range with its delta taken in. Unchanged parts keep their columns. */
export const rewrite = (
  index: ListIndexPlace,
  range: Range,
  columns: Columns | undefined,
  newId: () => string,
): Rewritten => writeRows(index, range, mergedRows(index.layout, range, columns), columns, newId);

/** The segments for some rows, from the range's first id on, and their new columns. */
export function writeRows(
  { layout, partition }: ListIndexPlace,
  { first, segment }: Range,
  rows: readonly MergedRow[],
  columns: Columns | undefined,
  newId: () => string,
): Rewritten {
  const keepsTexts = layout.text !== undefined && columns !== undefined && columns.texts === undefined;
  const chunks = keepsTexts ? [rows] : halves(rows);
  const items: SegmentItem[] = [];
  const segments = chunks.flatMap((chunk, place): SegmentSummary[] => {
    const start = place === 0 ? first : (chunk[0]?.id ?? first);
    if (chunk.length === 0) return [];
    const column = (
      bytes: (row: MergedRow) => Buffer,
      old: Buffer | undefined,
      oldId: string | undefined,
    ) => {
      const packed = encodeColumn(
        start,
        chunk.map((row): ColumnRow => ({ id: row.id, bytes: bytes(row) })),
      );
      if (oldId !== undefined && old?.equals(packed) === true) return { id: oldId };
      return { id: newId(), packed };
    };
    const entries = column((row) => row.bytes, columns?.entries, segment?.id);
    if (entries.packed) items.push({ ...segmentKey(partition, start, entries.id), b: entries.packed, _v: 1 });
    const summary = { first: start, id: entries.id, ...summaryOf(layout, chunk) };
    if (layout.text === undefined) return [summary];
    if (keepsTexts) return [{ ...summary, textId: segment?.textId ?? "" }];
    const texts = column((row) => row.text, columns?.texts, segment?.textId);
    if (texts.packed) items.push({ ...textSegmentKey(partition, start, texts.id), b: texts.packed, _v: 1 });
    return [{ ...summary, textId: texts.id }];
  });
  return { segments, items };
}

/** The columns that the items of a range make, as if they had been compacted from them. */
export async function columnsFromItems(
  forge: Forge,
  { layout, source }: ListIndexPlace,
  { first, end }: Range,
): Promise<Columns> {
  const rows = await source.read(forge, first, end);
  const entries = encodeColumn(first, rows);
  const { text } = layout;
  if (text === undefined) return { entries };
  const texts = encodeColumn(
    first,
    rows.map((row) => ({ id: row.id, bytes: row.text ?? text.none })),
  );
  return { entries, texts };
}

/**
 * A range and its columns from the items, which were read after the delta: with equal versions the item is right, and a
 * delta counts only when it is newer.
 */
export async function rangeFromItems(
  forge: Forge,
  index: ListIndexPlace,
  range: Range,
): Promise<[Range, Columns]> {
  const columns = await columnsFromItems(forge, index, range);
  const { layout } = index;
  const versions = new Map<number, number>();
  walk(layout, { ...range, delta: [] }, columns, ({ id, bytes, at }) => {
    versions.set(id, bytes.readUInt32BE(at + layout.versionAt));
  });
  const delta = range.delta.map(({ entry, ...row }): DeltaRow => {
    const isNewer = entry !== undefined && entry.version > (versions.get(row.id) ?? -1);
    return isNewer ? { ...row, entry } : row;
  });
  return [{ ...range, delta }, columns];
}

/** The entries of a range with its delta taken in. */
export function mergedRows(layout: EntryLayout, range: Range, columns: Columns | undefined): MergedRow[] {
  const none = layout.text?.none ?? Buffer.alloc(0);
  const rows: MergedRow[] = [];
  walk(layout, range, columns, ({ id, bytes, at, text, textAt }) => {
    const length = text === undefined ? 0 : (layout.text?.length(text, textAt) ?? 0);
    rows.push({
      id,
      bytes: bytes.subarray(at, at + layout.length(bytes, at)),
      text: text === undefined ? none : text.subarray(textAt, textAt + length),
    });
  });
  return rows;
}

/** The length of the longer of the two columns of a segment with these rows. */
export function sizeOf(rows: readonly MergedRow[]): number {
  const size = (of: (row: MergedRow) => Buffer) =>
    rows.reduce((sum, row) => sum + rowHeadBytes + of(row).length, rowsAt);
  return Math.max(
    size((row) => row.bytes),
    size((row) => row.text),
  );
}

function halves(rows: readonly MergedRow[]): (readonly MergedRow[])[] {
  if (sizeOf(rows) <= longestSegmentBytes || rows.length <= 1) return [rows];
  const middle = Math.ceil(rows.length / 2);
  return [...halves(rows.slice(0, middle)), ...halves(rows.slice(middle))];
}

/** The manifest's summary of a segment's entries, without their place. */
export function summaryOf(
  { summary }: EntryLayout,
  rows: readonly { readonly bytes: Buffer }[],
): Pick<SegmentSummary, "counts" | "newest"> {
  const counts: [number, number, number, number] = [0, 0, 0, 0];
  let newest = 0;
  for (const { bytes } of rows) {
    const place = (summary?.classOf(bytes, 0) ?? 0) as 0 | 1 | 2 | 3;
    counts[place] += 1;
    if (summary !== undefined) newest = Math.max(newest, bytes.readUInt32BE(summary.updatedAt));
  }
  return { counts, newest };
}
