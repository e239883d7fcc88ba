import { type EntryLayout, isThere, newRow, type Row } from "./entry-kind.ts";
import { rowCount, rowHeadBytes, rowsAt } from "./internal/column.ts";
import { type DeltaRow, withActivity } from "./internal/delta.ts";
import type { SegmentSummary } from "./manifest.ts";

/** Ids from `first` up to but without `end`, of one block: the segment that holds them, if any, and their deltas. */
export interface Range {
  readonly first: number;
  readonly end: number;
  readonly segment?: SegmentSummary;
  readonly delta: readonly DeltaRow[];
}

/** The loaded columns of a range's segment. */
export interface Columns {
  readonly entries: Buffer;
  readonly texts?: Buffer;
}

/**
 * Divides an index into ranges by rising ids. A segment never reaches beyond its block of `span` ids. The ids of a
 * block before its first segment, or of a block without any, form a range without a segment.
 */
export function rangesOf(
  { span }: EntryLayout,
  segments: readonly SegmentSummary[],
  delta: readonly DeltaRow[],
): Range[] {
  const ranges: { first: number; end: number; segment?: SegmentSummary; delta: DeltaRow[] }[] = [];
  const blockOf = (id: number) => Math.floor(id / span);
  let place = 0;
  const takeDelta = (before: number) => {
    for (let row = delta[place]; row !== undefined && row.id < before; row = delta[place]) {
      let last = ranges.at(-1);
      if (last === undefined || row.id >= last.end) {
        const first = blockOf(row.id) * span;
        last = { first, end: Math.min(first + span, before), delta: [] };
        ranges.push(last);
      }
      last.delta.push(row);
      place += 1;
    }
  };
  segments.forEach((segment, at) => {
    const { first } = segment;
    takeDelta(first);
    const next = segments[at + 1]?.first ?? Number.POSITIVE_INFINITY;
    ranges.push({ first, end: Math.min((blockOf(first) + 1) * span, next), segment, delta: [] });
  });
  takeDelta(Number.POSITIVE_INFINITY);
  return ranges;
}

/**
 * Walks the existing things of a range by rising ids: entries of the segment and of the delta, of which the delta's
 * wins when its version is not lower, each with the newest activity. Removed things are left out.
 */
export function walk(
  layout: EntryLayout,
  { first, delta }: Range,
  columns: Columns | undefined,
  visit: (row: Row) => void,
): void {
  const row = newRow();
  const merge = new Merge(layout, visit);
  let place = 0;
  let nextInDelta = delta[0]?.id ?? Number.POSITIVE_INFINITY;
  const passDelta = (before: number) => {
    for (let next = delta[place]; next !== undefined && next.id < before; next = delta[++place])
      merge.visit(next);
    nextInDelta = delta[place]?.id ?? Number.POSITIVE_INFINITY;
  };
  if (columns !== undefined) {
    const { entries, texts } = columns;
    row.bytes = entries;
    row.text = texts;
    let at = rowsAt;
    let textAt = rowsAt;
    for (let left = rowCount(entries); left > 0; left -= 1) {
      row.id = first + entries.readUInt16BE(at);
      row.at = at + rowHeadBytes;
      row.textAt = textAt + rowHeadBytes;
      if (nextInDelta < row.id) passDelta(row.id);
      if (nextInDelta === row.id) {
        merge.visit(delta[place++] as DeltaRow, row);
        nextInDelta = delta[place]?.id ?? Number.POSITIVE_INFINITY;
      } else visit(row);
      at = row.at + layout.length(entries, row.at);
      if (texts !== undefined) textAt = row.textAt + (layout.text?.length(texts, row.textAt) ?? 0);
    }
  }
  passDelta(Number.POSITIVE_INFINITY);
}

/** Visits the deltas, each with the segment's entry of the same id. */
export class Merge {
  readonly #layout: EntryLayout;
  readonly #visit: (row: Row) => void;
  readonly #row = newRow();

  constructor(layout: EntryLayout, visit: (row: Row) => void) {
    this.#layout = layout;
    this.#visit = visit;
  }

  visit({ id, entry, activity }: DeltaRow, compacted?: Row): void {
    const { versionAt, activity: block, text } = this.#layout;
    const isNewer =
      entry !== undefined &&
      (compacted === undefined || entry.version >= compacted.bytes.readUInt32BE(compacted.at + versionAt));
    if (!isNewer && compacted === undefined) return;
    const old = compacted === undefined ? undefined : this.#bytesOf(compacted);
    const oldActivity = block && old?.subarray(block.at, block.at + block.length);
    const row = this.#row;
    row.id = id;
    row.at = 0;
    row.bytes = isNewer ? withActivity(entry.bytes, oldActivity, block) : (old as Buffer);
    row.bytes = withActivity(row.bytes, activity?.bytes, block);
    if (isNewer) {
      row.text = entry.text ?? text?.none;
      row.textAt = 0;
    } else if (compacted !== undefined) {
      row.text = compacted.text;
      row.textAt = compacted.textAt;
    }
    if (isThere(row)) this.#visit(row);
  }

  #bytesOf({ bytes, at }: Row): Buffer {
    return bytes.subarray(at, at + this.#layout.length(bytes, at));
  }
}
