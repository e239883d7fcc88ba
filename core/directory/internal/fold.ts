import type { Forge } from "../../forge.ts";
import { randomId } from "../../ids.ts";
import { absent } from "../../table/condition.ts";
import { keyText, put, type TableKey, type Write } from "../../table/write.ts";
import type { SegmentItem } from "../directory.table.ts";
import { type Pointer, pointerWrite, readPointer, type SegmentSummary } from "../pointer.ts";
import { type Rewrite, type Rewritten, rewrite, stretchFromItems, writeRows } from "../rewrite.ts";
import { columnKeys, loadSegments, tellBroken } from "../segments.ts";
import { type Columns, type Stretch, stretchesOf } from "../stretch.ts";
import { sweepSegmentsLater } from "../sweep.ts";
import type { DirectoryPlace } from "../view.ts";
import { joinShrunken } from "./join-shrunken.ts";
import { asBuffer, clearWrites, readTail, type TailRow } from "./tail.ts";

/** The writes of one compaction, in this order: the new columns, the manifest, the delta. */
export interface FoldPlan {
  /** The manifest as it was read: the condition of the compaction. */
  readonly pointer: Pointer;
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
export interface FoldOutcome {
  readonly outcome: "folded" | "lost" | "nothing";
  readonly left: number;
}

/** Options for an unusual compaction. */
export interface FoldOptions {
  /** Chooses the ranges to rewrite; absent: those with deltas. */
  readonly choose?: (stretches: readonly Stretch[]) => Rewrite[];
  readonly newId?: () => string;
}

/** One compaction takes in about so many deltas, in so many segments: 10 s and 10 MB at most. */
const most = { entries: 5_000, stretches: 64 };
const writesAtOnce = 16;

/**
 * Moves the delta into new segments. A compaction that loses against another has changed nothing; after a crash behind
 * the manifest's move, a later compaction removes the deltas that are left.
 */
export async function fold(
  forge: Forge,
  directory: DirectoryPlace,
  options: FoldOptions = {},
): Promise<FoldOutcome> {
  const startedAt = performance.now();
  const plan = await planFold(forge, directory, options);
  if (plan === undefined) return { outcome: "nothing", left: 0 };
  await writeColumns(forge, directory, plan);
  const hasWon = await forge.table.write(pointerWrite(directory.partition, plan.pointer, plan.segments));
  if (hasWon) await inGroups(plan.clears, (write) => forge.table.write(write));
  forge.log.info("directory:folded", {
    directory: directory.name,
    hasWon,
    entries: plan.clears.length,
    columns: plan.items.length,
    left: plan.left,
    ms: Math.round(performance.now() - startedAt),
  });
  return { outcome: hasWon ? "folded" : "lost", left: plan.left };
}

/**
 * Reads the manifest and then the delta, the reverse of a reader's order, and the order matters as much. A delta read
 * before the manifest may be one that a rival has taken in, and whose end the rival has taken in, too: it would come
 * back. In this order, a rival that takes anything out of the delta moves the manifest, and this compaction is lost.
 */
export async function planFold(
  forge: Forge,
  directory: DirectoryPlace,
  options: FoldOptions = {},
): Promise<FoldPlan | undefined> {
  const pointer = await readPointer(forge, directory);
  const tail = await readTail(forge, directory);
  return planOf(forge, directory, pointer, tail, options);
}

/** The plan for a manifest and a delta that were read; undefined when there is nothing to do. */
export async function planOf(
  forge: Forge,
  directory: DirectoryPlace,
  pointer: Pointer,
  tail: readonly TailRow[],
  { choose = changed, newId = randomId }: FoldOptions = {},
): Promise<FoldPlan | undefined> {
  const { layout, partition } = directory;
  if (pointer.isDamaged === true && choose === changed)
    throw new Error(`${directory.name} has to be rebuilt`);
  const stretches = stretchesOf(layout, pointer.segments, tail);
  const chosen = choose(stretches);
  if (chosen.length === 0) return undefined;
  const rewrites = await joinShrunken(forge, directory, stretches, chosen);
  const replaced = new Set(rewrites.flatMap(({ replaces }) => replaces));
  const kept = pointer.segments.filter((segment) => !replaced.has(segment));
  const written = await rewriteAll(forge, directory, rewrites, newId);
  const segments = [...kept, ...written.segments].sort((one, other) => one.first - other.first);
  const named = new Set(segments.flatMap((segment) => keysOf(partition, segment).map(keyText)));
  const folded = rewrites.flatMap(({ stretch }) => stretch.tail);
  return {
    pointer,
    segments,
    items: written.items,
    replaced: [...replaced]
      .flatMap((segment) => keysOf(partition, segment))
      .filter((key) => !named.has(keyText(key))),
    clears: folded.flatMap((row) => clearWrites(partition, row)),
    left: tail.length - folded.length,
  };
}

/** Ranges with deltas, the newest ids first, as many as one compaction may take. */
function changed(stretches: readonly Stretch[]): Rewrite[] {
  const rewrites: Rewrite[] = [];
  let entries = 0;
  for (const stretch of [...stretches].reverse()) {
    if (stretch.tail.length === 0) continue;
    if (rewrites.length === most.stretches || entries >= most.entries) break;
    entries += stretch.tail.length;
    rewrites.push({ stretch, replaces: stretch.segment === undefined ? [] : [stretch.segment] });
  }
  return rewrites;
}

async function rewriteAll(
  forge: Forge,
  directory: DirectoryPlace,
  rewrites: readonly Rewrite[],
  newId: () => string,
): Promise<{ segments: SegmentSummary[]; items: SegmentItem[] }> {
  const columns = await loadForRewrite(forge, directory, rewrites);
  const segments: SegmentSummary[] = [];
  const items: SegmentItem[] = [];
  for (const one of rewrites) {
    const { segment } = one.stretch;
    const written = await rewritten(forge, directory, one, segment && columns.get(segment), newId);
    segments.push(...written.segments);
    items.push(...written.items);
  }
  return { segments, items };
}

async function rewritten(
  forge: Forge,
  directory: DirectoryPlace,
  { stretch, isFromItems = false, rows }: Rewrite,
  loaded: Columns | undefined,
  newId: () => string,
): Promise<Rewritten> {
  if (rows !== undefined) return writeRows(directory, stretch, rows, undefined, newId);
  const { segment, ...bare } = stretch;
  const isBroken = segment !== undefined && loaded === undefined;
  if (!isFromItems && !isBroken) return rewrite(directory, stretch, loaded, newId);
  return rewrite(directory, ...(await stretchFromItems(forge, directory, bare)), newId);
}

/** The columns of the ranges to rewrite, from their segments. Broken ones are logged, and rebuilt from the items. */
async function loadForRewrite(forge: Forge, directory: DirectoryPlace, rewrites: readonly Rewrite[]) {
  const fromSegments = rewrites.filter(({ isFromItems }) => isFromItems !== true);
  const changesTexts = ({ tail }: Stretch) => tail.some((row) => row.entry !== undefined);
  const load = (withTexts: boolean) => {
    const wanted = fromSegments.filter(({ stretch }) => changesTexts(stretch) === withTexts);
    const segments = wanted.flatMap(({ stretch }) => stretch.segment ?? []);
    return loadSegments(forge, directory, segments, { withTexts });
  };
  const [plain, whole] = await Promise.all([load(false), load(true)]);
  tellBroken(forge, directory, [...plain.broken, ...whole.broken]);
  return new Map([...plain.columns, ...whole.columns]);
}

/** Writes the new columns, after a note of what to sweep when this compaction is lost, and when it is won. */
export async function writeColumns(
  forge: Forge,
  directory: DirectoryPlace,
  { items, replaced }: FoldPlan,
): Promise<void> {
  const written = items.map(({ pk, sk }): TableKey => ({ pk, sk }));
  if (written.length + replaced.length === 0) return;
  const keys = [...written, ...replaced].map(({ sk }) => sk);
  await sweepSegmentsLater(forge, directory, keys);
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
