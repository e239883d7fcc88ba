import { unavailable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { TableKey } from "../table/write.ts";
import { requestRebuild } from "./compaction-requests.ts";
import type { EntryLayout } from "./entry-kind.ts";
import { type DeltaRow, readState } from "./internal/delta.ts";
import type { Manifest, SegmentSummary } from "./manifest.ts";
import { type Columns, type Range, rangesOf } from "./range.ts";
import { isCached, loadSegments } from "./segments.ts";

/** Packed entries made from the items: segments are rebuilt from them. */
export interface SourceRow {
  readonly id: number;
  readonly bytes: Buffer;
  readonly text?: Buffer;
}

/** The items that a list index is derived from. */
export interface ListIndexSource {
  /** The greatest id that was ever given. */
  lastId(forge: Forge): Promise<number>;
  /** The item that an entry describes. Its `v` is the version of the entry. */
  itemKey(id: number): TableKey;
  /** The things from id `first` up to but without `end`, by rising id, read strongly. */
  read(forge: Forge, first: number, end: number): Promise<SourceRow[]>;
}

/** The place and form of a list index: all that reading, compaction and rebuilding need of it. */
export interface ListIndexPlace {
  /** Its name in messages and logs; it ends in a digit, as ids of jobs do. */
  readonly name: string;
  /** The partition of all its items. */
  readonly partition: string;
  readonly layout: EntryLayout;
  readonly source: ListIndexSource;
}

/** A list index at one reading: its compacted part and its delta. */
export interface ListIndexView {
  readonly ranges: readonly Range[];
  readonly deltaLength: number;
}

/** Columns that a reading took from the items, by id of the segment that was unavailable. */
export type Mended = Map<string, Columns>;

/** Segments that a reading needed and did not get, each with its problem. */
export class BrokenSegments {
  readonly segments: ReadonlyMap<SegmentSummary, string>;
  constructor(segments: ReadonlyMap<SegmentSummary, string>) {
    this.segments = segments;
  }

  only(isWanted: (segment: SegmentSummary) => boolean): BrokenSegments {
    return new BrokenSegments(new Map([...this.segments].filter(([segment]) => isWanted(segment))));
  }
}

/** Combines the delta and the manifest that were read. */
export function makeView(
  { layout }: ListIndexPlace,
  delta: readonly DeltaRow[],
  manifest: Manifest,
): ListIndexView {
  const ranges = rangesOf(layout, manifest.segments, delta);
  return { ranges, deltaLength: delta.length };
}

/**
 * Reads the delta and then the manifest, strongly, in one query. The order matters: what a compaction takes out of the
 * delta in between is in the segments of the manifest; in the other order it would be in neither. Unavailable while the
 * manifest is damaged; a job then rebuilds the index.
 */
export async function readView(forge: Forge, index: ListIndexPlace): Promise<ListIndexView> {
  const { delta, manifest } = await readState(forge, index);
  if (manifest.isDamaged === true) {
    forge.log.error("list-index:manifest-damaged", { index: index.name });
    await requestRebuild(forge, index);
    throw unavailable("the list is damaged and is being written anew; try again in a moment");
  }
  return makeView(index, delta, manifest);
}

/**
 * Columns of the segments of the given ranges; BrokenSegments when some can't be had. `mended` ones are taken from
 * there.
 */
export async function loadRanges(
  forge: Forge,
  index: ListIndexPlace,
  ranges: readonly Range[],
  { withTexts = false, mended }: { withTexts?: boolean; mended?: Mended | undefined } = {},
): Promise<ReadonlyMap<SegmentSummary, Columns> | BrokenSegments> {
  const segments = ranges.flatMap(({ segment }) => segment ?? []);
  const isMended = ({ id }: SegmentSummary) => mended?.has(id) === true;
  const stored = segments.filter((segment) => !isMended(segment));
  const { columns, broken } = await loadSegments(forge, index, stored, { withTexts });
  if (broken.size > 0) return new BrokenSegments(broken);
  const fromItems = segments.filter(isMended).map((one) => [one, mended?.get(one.id) as Columns] as const);
  return new Map([...columns, ...fromItems]);
}

/** Whether a range costs nothing to look at: it has no segment, or its segment is in memory. */
export const isInMemory = (forge: Forge, { partition }: ListIndexPlace, { segment }: Range): boolean =>
  segment === undefined || isCached(forge, partition, segment);
