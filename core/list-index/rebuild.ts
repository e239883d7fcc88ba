import { attempts } from "../concurrency/attempts.ts";
import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { type CompactionOptions, compact } from "./internal/compaction.ts";
import { segmentPrefixes } from "./list-index.table.ts";
import { readManifest, type SegmentSummary } from "./manifest.ts";
import type { Range } from "./range.ts";
import { columnsFromItems, type Rewrite } from "./rewrite.ts";
import { logBrokenSegments } from "./segments.ts";
import { sweepSegmentsLater } from "./sweep.ts";
import type { BrokenSegments, ListIndexPlace, ListIndexView, Mended } from "./view.ts";

/** The work of a rebuild: how many blocks of ids it wrote anew. */
export interface RebuildReport {
  readonly blocks: number;
}

const mostAttempts = 10;
const columnsPerSweep = 500;

/**
 * Rewrites segments that a reading found missing or damaged, from the items that they describe, and logs each. When
 * other compactions keep winning, the reader is served from the items: `mended` gets their content.
 */
export async function repairSegments(
  forge: Forge,
  index: ListIndexPlace,
  view: ListIndexView,
  { segments }: BrokenSegments,
  mended: Mended,
): Promise<void> {
  const broken = new Set([...segments.keys()].map(({ id }) => id));
  logBrokenSegments(forge, index, [...segments]);
  const rebuilds = (all: readonly Range[]) =>
    all.flatMap((range): Rewrite[] =>
      range.segment !== undefined && broken.has(range.segment.id)
        ? [{ range, replaces: [range.segment], isFromItems: true }]
        : [],
    );
  if ((await compact(forge, index, { choose: rebuilds })).outcome !== "lost") return;
  await takeFromItems(forge, index, view, new Set(segments.keys()), mended);
}

/** Puts the items of unavailable segments of a view into `mended`. */
export async function takeFromItems(
  forge: Forge,
  index: ListIndexPlace,
  { ranges }: ListIndexView,
  segments: ReadonlySet<SegmentSummary>,
  mended: Mended,
): Promise<void> {
  for (const range of ranges) {
    if (range.segment === undefined || !segments.has(range.segment)) continue;
    mended.set(range.segment.id, await columnsFromItems(forge, index, range));
  }
}

/**
 * Rewrites a whole list index from its items, block by block, while others read, write and compact: for the operator,
 * and for findings of a check. A damaged manifest is replaced in one go.
 */
export async function rebuildListIndex(forge: Forge, index: ListIndexPlace): Promise<RebuildReport> {
  const { span } = index.layout;
  const last = Math.floor((await index.source.lastId(forge)) / span);
  const blocks = Array.from({ length: last + 1 }, (_, block) => block * span);
  const manifest = await readManifest(forge, index);
  if (manifest.isDamaged === true) {
    await compactSurely(forge, index, { choose: (ranges) => blocks.flatMap(blockOf(ranges, span)) });
  } else {
    for (const first of blocks) {
      await compactSurely(forge, index, { choose: (ranges) => [blockOf(ranges, span)(first)] });
    }
  }
  await sweepLater(forge, index);
  forge.log.warn("list-index:rebuilt", { index: index.name, blocks: blocks.length });
  return { blocks: blocks.length };
}

/** A block of ids as one range, replacing all segments that it has. */
const blockOf =
  (ranges: readonly Range[], span: number) =>
  (first: number): Rewrite => {
    const end = first + span;
    const inside = ranges.filter((range) => range.first >= first && range.first < end);
    return {
      range: { first, end, delta: inside.flatMap((range) => range.delta) },
      replaces: inside.flatMap((range) => range.segment ?? []),
      isFromItems: true,
    };
  };

/** Schedules a sweep of all unnamed columns: a damaged manifest did not say which ones it named. */
async function sweepLater(forge: Forge, index: ListIndexPlace): Promise<void> {
  const pk = index.partition;
  for (const prefix of segmentPrefixes) {
    let after: string | undefined;
    do {
      const from = defined({ after });
      const page = await forge.table.query({ pk, prefix, ...from, limit: columnsPerSweep });
      const keys = page.items.map(({ sk }) => sk);
      await sweepSegmentsLater(forge, index, keys);
      after = page.next;
    } while (after !== undefined);
  }
}

async function compactSurely(forge: Forge, index: ListIndexPlace, options: CompactionOptions): Promise<void> {
  for await (const _attempt of attempts(mostAttempts)) {
    if ((await compact(forge, index, options)).outcome !== "lost") return;
  }
  throw new Error(`other compactions of ${index.name} always came first`);
}
