import { attempts } from "../attempts.ts";
import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { segmentPrefixes } from "./directory.table.ts";
import { type FoldOptions, fold } from "./internal/fold.ts";
import { readPointer, type SegmentSummary } from "./pointer.ts";
import { columnsFromItems, type Rewrite } from "./rewrite.ts";
import { tellBroken } from "./segments.ts";
import type { Stretch } from "./stretch.ts";
import { sweepSegmentsLater } from "./sweep.ts";
import type { BrokenSegments, DirectoryPlace, DirectoryView, Mended } from "./view.ts";

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
  directory: DirectoryPlace,
  view: DirectoryView,
  { segments }: BrokenSegments,
  mended: Mended,
): Promise<void> {
  const broken = new Set([...segments.keys()].map(({ id }) => id));
  tellBroken(forge, directory, [...segments]);
  const rebuilds = (all: readonly Stretch[]) =>
    all.flatMap((stretch): Rewrite[] =>
      stretch.segment !== undefined && broken.has(stretch.segment.id)
        ? [{ stretch, replaces: [stretch.segment], isFromItems: true }]
        : [],
    );
  if ((await fold(forge, directory, { choose: rebuilds })).outcome !== "lost") return;
  await takeFromItems(forge, directory, view, new Set(segments.keys()), mended);
}

/** Puts the items of unavailable segments of a view into `mended`. */
export async function takeFromItems(
  forge: Forge,
  directory: DirectoryPlace,
  { stretches }: DirectoryView,
  segments: ReadonlySet<SegmentSummary>,
  mended: Mended,
): Promise<void> {
  for (const stretch of stretches) {
    if (stretch.segment === undefined || !segments.has(stretch.segment)) continue;
    mended.set(stretch.segment.id, await columnsFromItems(forge, directory, stretch));
  }
}

/**
 * Rewrites a whole list index from its items, block by block, while others read, write and compact: for the operator,
 * and for findings of a check. A damaged manifest is replaced in one go.
 */
export async function rebuildDirectory(forge: Forge, directory: DirectoryPlace): Promise<RebuildReport> {
  const { span } = directory.layout;
  const last = Math.floor((await directory.source.lastId(forge)) / span);
  const blocks = Array.from({ length: last + 1 }, (_, block) => block * span);
  const pointer = await readPointer(forge, directory);
  if (pointer.isDamaged === true) {
    await foldSurely(forge, directory, { choose: (stretches) => blocks.flatMap(blockOf(stretches, span)) });
  } else {
    for (const first of blocks) {
      await foldSurely(forge, directory, { choose: (stretches) => [blockOf(stretches, span)(first)] });
    }
  }
  await sweepLater(forge, directory);
  forge.log.warn("directory:rebuilt", { directory: directory.name, blocks: blocks.length });
  return { blocks: blocks.length };
}

/** A block of ids as one range, replacing all segments that it has. */
const blockOf =
  (stretches: readonly Stretch[], span: number) =>
  (first: number): Rewrite => {
    const end = first + span;
    const inside = stretches.filter((stretch) => stretch.first >= first && stretch.first < end);
    return {
      stretch: { first, end, tail: inside.flatMap((stretch) => stretch.tail) },
      replaces: inside.flatMap((stretch) => stretch.segment ?? []),
      isFromItems: true,
    };
  };

/** Schedules a sweep of all unnamed columns: a damaged manifest did not say which ones it named. */
async function sweepLater(forge: Forge, directory: DirectoryPlace): Promise<void> {
  const pk = directory.partition;
  for (const prefix of segmentPrefixes) {
    let after: string | undefined;
    do {
      const from = defined({ after });
      const page = await forge.table.query({ pk, prefix, ...from, limit: columnsPerSweep });
      const keys = page.items.map(({ sk }) => sk);
      await sweepSegmentsLater(forge, directory, keys);
      after = page.next;
    } while (after !== undefined);
  }
}

async function foldSurely(forge: Forge, directory: DirectoryPlace, options: FoldOptions): Promise<void> {
  for await (const _attempt of attempts(mostAttempts)) {
    if ((await fold(forge, directory, options)).outcome !== "lost") return;
  }
  throw new Error(`other folds of ${directory.name} always came first`);
}
