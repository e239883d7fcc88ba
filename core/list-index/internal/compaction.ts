import type { Forge } from "../../forge.ts";
import { randomId } from "../../ids.ts";
import { absent } from "../../table/condition.ts";
import { keyText, put, type TableKey, type Write } from "../../table/write.ts";
import type { SegmentItem } from "../list-index.table.ts";
import { type Manifest, manifestWrite, readManifest, type SegmentSummary } from "../manifest.ts";
import { type Columns, type Range, rangesOf } from "../range.ts";
import { type Rewrite, type Rewritten, rangeFromItems, rewrite, writeRows } from "../rewrite.ts";
import { columnKeys, loadSegments, logBrokenSegments } from "../segments.ts";
import { sweepSegmentsLater } from "../sweep.ts";
import type { ListIndexPlace } from "../view.ts";
import { asBuffer, clearWrites, type DeltaRow, readDelta } from "./delta.ts";
import { mergeShrunkenSegments } from "./merge-shrunken-segments.ts";

/** The writes of one compaction, in this order: the new columns, the manifest, the delta. */
export interface CompactionPlan {
  /** The manifest as it was read: the condition of the compaction. */
  readonly manifest: Manifest;
  readonly segments: readonly SegmentSummary[];
  readonly items: readonly SegmentItem[];
  /** Columns that the new manifest does not name any more. */
  readonly replaced: readonly TableKey[];
  /** Deltas that are taken in. */
  readonly clears: readonly Write[];
  /** How many deltas are left for another compaction. */
  readonly left: number;
}

/** The end of a compaction. `lost`: another one was faster. `left`: deltas that are still to be taken in. */
export interface CompactionOutcome {
  readonly outcome: "compacted" | "lost" | "nothing";
  readonly left: number;
}

/** Options for an unusual compaction. */
export interface CompactionOptions {
  /** Chooses the ranges to rewrite; absent: those with deltas. */
  readonly choose?: (ranges: readonly Range[]) => Rewrite[];
  readonly newId?: () => string;
}

/** One compaction takes in about so many deltas, in so many segments: 10 s and 10 MB at most. */
const most = { entries: 5_000, ranges: 64 };
const writesAtOnce = 16;

/**
 * Moves the delta into new segments. A compaction that loses against another has changed nothing; after a crash behind
 * the manifest's move, a later compaction removes the deltas that are left.
 */
export async function compact(
  forge: Forge,
  index: ListIndexPlace,
  options: CompactionOptions = {},
): Promise<CompactionOutcome> {
  const startedAt = performance.now();
  const plan = await planCompaction(forge, index, options);
  if (plan === undefined) return { outcome: "nothing", left: 0 };
  await writeColumns(forge, index, plan);
  const hasWon = await forge.table.write(manifestWrite(index.partition, plan.manifest, plan.segments));
  if (hasWon) await inGroups(plan.clears, (write) => forge.table.write(write));
  forge.log.info("list-index:compacted", {
    index: index.name,
    hasWon,
    entries: plan.clears.length,
    columns: plan.items.length,
    left: plan.left,
    ms: Math.round(performance.now() - startedAt),
  });
  return { outcome: hasWon ? "compacted" : "lost", left: plan.left };
}

/**
 * Reads the manifest and then the delta, the reverse of a reader's order, and the order matters as much. A delta read
 * before the manifest may be one that a rival has taken in, and whose end the rival has taken in, too: it would come
 * back. In this order, a rival that takes anything out of the delta moves the manifest, and this compaction is lost.
 */
async function planCompaction(
  forge: Forge,
  index: ListIndexPlace,
  options: CompactionOptions = {},
): Promise<CompactionPlan | undefined> {
  const manifest = await readManifest(forge, index);
  const delta = await readDelta(forge, index);
  return planOf(forge, index, manifest, delta, options);
}

/** The plan for a manifest and a delta that were read; undefined when there is nothing to do. */
export async function planOf(
  forge: Forge,
  index: ListIndexPlace,
  manifest: Manifest,
  delta: readonly DeltaRow[],
  { choose = changed, newId = randomId }: CompactionOptions = {},
): Promise<CompactionPlan | undefined> {
  const { layout, partition } = index;
  if (manifest.isDamaged === true && choose === changed) throw new Error(`${index.name} has to be rebuilt`);
  const ranges = rangesOf(layout, manifest.segments, delta);
  const chosen = choose(ranges);
  if (chosen.length === 0) return undefined;
  const rewrites = await mergeShrunkenSegments(forge, index, ranges, chosen);
  const replaced = new Set(rewrites.flatMap(({ replaces }) => replaces));
  const kept = manifest.segments.filter((segment) => !replaced.has(segment));
  const written = await rewriteAll(forge, index, rewrites, newId);
  const segments = [...kept, ...written.segments].sort((one, other) => one.first - other.first);
  const named = new Set(segments.flatMap((segment) => keysOf(partition, segment).map(keyText)));
  const compacted = rewrites.flatMap(({ range }) => range.delta);
  return {
    manifest,
    segments,
    items: written.items,
    replaced: [...replaced]
      .flatMap((segment) => keysOf(partition, segment))
      .filter((key) => !named.has(keyText(key))),
    clears: compacted.flatMap((row) => clearWrites(partition, row)),
    left: delta.length - compacted.length,
  };
}

/** Ranges with deltas, the newest ids first, as many as one compaction may take. */
function changed(ranges: readonly Range[]): Rewrite[] {
  const rewrites: Rewrite[] = [];
  let entries = 0;
  for (const range of [...ranges].reverse()) {
    if (range.delta.length === 0) continue;
    if (rewrites.length === most.ranges || entries >= most.entries) break;
    entries += range.delta.length;
    rewrites.push({ range, replaces: range.segment === undefined ? [] : [range.segment] });
  }
  return rewrites;
}

async function rewriteAll(
  forge: Forge,
  index: ListIndexPlace,
  rewrites: readonly Rewrite[],
  newId: () => string,
): Promise<{ segments: SegmentSummary[]; items: SegmentItem[] }> {
  const columns = await loadForRewrite(forge, index, rewrites);
  const segments: SegmentSummary[] = [];
  const items: SegmentItem[] = [];
  for (const one of rewrites) {
    const { segment } = one.range;
    const written = await rewritten(forge, index, one, segment && columns.get(segment), newId);
    segments.push(...written.segments);
    items.push(...written.items);
  }
  return { segments, items };
}

async function rewritten(
  forge: Forge,
  index: ListIndexPlace,
  { range, isFromItems = false, rows }: Rewrite,
  loaded: Columns | undefined,
  newId: () => string,
): Promise<Rewritten> {
  if (rows !== undefined) return writeRows(index, range, rows, undefined, newId);
  const { segment, ...bare } = range;
  const isBroken = segment !== undefined && loaded === undefined;
  if (!isFromItems && !isBroken) return rewrite(index, range, loaded, newId);
  return rewrite(index, ...(await rangeFromItems(forge, index, bare)), newId);
}

/** The columns of the ranges to rewrite, from their segments. Broken ones are logged, and rebuilt from the items. */
async function loadForRewrite(forge: Forge, index: ListIndexPlace, rewrites: readonly Rewrite[]) {
  const fromSegments = rewrites.filter(({ isFromItems }) => isFromItems !== true);
  const changesTexts = ({ delta }: Range) => delta.some((row) => row.entry !== undefined);
  const load = (withTexts: boolean) => {
    const wanted = fromSegments.filter(({ range }) => changesTexts(range) === withTexts);
    const segments = wanted.flatMap(({ range }) => range.segment ?? []);
    return loadSegments(forge, index, segments, { withTexts });
  };
  const [plain, whole] = await Promise.all([load(false), load(true)]);
  logBrokenSegments(forge, index, [...plain.broken, ...whole.broken]);
  return new Map([...plain.columns, ...whole.columns]);
}

/** Writes the new columns, after a note of what to sweep when this compaction is lost, and when it is won. */
export async function writeColumns(
  forge: Forge,
  index: ListIndexPlace,
  { items, replaced }: CompactionPlan,
): Promise<void> {
  const written = items.map(({ pk, sk }): TableKey => ({ pk, sk }));
  if (written.length + replaced.length === 0) return;
  const keys = [...written, ...replaced].map(({ sk }) => sk);
  await sweepSegmentsLater(forge, index, keys);
  await inGroups(items, (item) => writeColumn(forge, item));
}

async function writeColumn({ table }: Forge, item: SegmentItem): Promise<void> {
  if (await table.write(put(item, absent))) return;
  // It is there already: by ourselves, when the first answer got lost.
  const { pk, sk } = item;
  const found = await table.get<SegmentItem>({ pk, sk });
  if (found === undefined || !asBuffer(found.b).equals(item.b)) {
    throw new Error(`another segment lies at ${pk} ${sk}`);
  }
}

/** Does something to each, so many at a time. */
export async function inGroups<T>(all: readonly T[], each: (one: T) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < all.length; at += writesAtOnce) {
    await Promise.all(all.slice(at, at + writesAtOnce).map(each));
  }
}

function keysOf(partition: string, segment: SegmentSummary): TableKey[] {
  const { entries, texts } = columnKeys(partition, segment);
  return texts === undefined ? [entries] : [entries, texts];
}
