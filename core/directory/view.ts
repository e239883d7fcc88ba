import { unavailable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { TableKey } from "../table.ts";
import type { EntryLayout } from "./entry-kind.ts";
import { requestRebuild } from "./fold-requests.ts";
import type { Pointer, SegmentSummary } from "./pointer.ts";
import { isCached, loadSegments } from "./segments.ts";
import { type Columns, type Stretch, stretchesOf } from "./stretch.ts";
import { readState, type TailRow } from "./tail.ts";

/** Entries as the items say that they should be, packed: what segments are rebuilt from. */
export interface SourceRow {
  readonly id: number;
  readonly bytes: Buffer;
  readonly text?: Buffer;
}

/** The items that a directory is derived from. */
export interface DirectorySource {
  /** The greatest id that was ever given. */
  lastId(forge: Forge): Promise<number>;
  /** The item that an entry describes. Its `v` is the version of the entry. */
  itemKey(id: number): TableKey;
  /** What exists from id `first` up to but without `end`, by rising id, read strongly. */
  read(forge: Forge, first: number, end: number): Promise<SourceRow[]>;
}

/** Where a directory lies and how: all that reading, folding and rebuilding need of it. */
export interface DirectoryPlace {
  /** Names it in messages and logs; ends in a digit, as ids of jobs do. */
  readonly name: string;
  /** Where all of it lies. */
  readonly partition: string;
  readonly layout: EntryLayout;
  readonly source: DirectorySource;
}

/** A directory as of one reading: what is folded, and what is not. */
export interface DirectoryView {
  readonly stretches: readonly Stretch[];
  readonly tailLength: number;
  /** Some of the tail was written by an earlier program, and costs its items until it is folded. */
  readonly hasOutdated: boolean;
}

/** Columns that a reading took from the items, by id of the segment that it could not have. */
export type Mended = Map<string, Columns>;

/** Segments that a reading needed and did not get, with what is wrong with each. */
export class BrokenSegments {
  readonly segments: ReadonlyMap<SegmentSummary, string>;
  constructor(segments: ReadonlyMap<SegmentSummary, string>) {
    this.segments = segments;
  }

  only(isWanted: (segment: SegmentSummary) => boolean): BrokenSegments {
    return new BrokenSegments(new Map([...this.segments].filter(([segment]) => isWanted(segment))));
  }
}

/** Puts what was read of tail and pointer together. */
export function makeView(
  { layout }: DirectoryPlace,
  tail: readonly TailRow[],
  pointer: Pointer,
  hasOutdated = false,
): DirectoryView {
  const stretches = stretchesOf(layout, pointer.segments, tail);
  return { stretches, tailLength: tail.length, hasOutdated };
}

/**
 * Reads the tail and then the pointer, strongly, in one query. The order matters: what a fold takes out of the tail in
 * between is in what the pointer names; the other way round it would be in neither. Unavailable while the pointer is damaged:
 * a job is asked to write the directory anew.
 */
export async function readView(forge: Forge, directory: DirectoryPlace): Promise<DirectoryView> {
  const { tail, pointer, hasOutdated } = await readState(forge, directory);
  if (pointer.isDamaged === true) {
    forge.log.error("directory:pointer-damaged", { directory: directory.name });
    await requestRebuild(forge, directory);
    throw unavailable("the list is damaged and is being written anew; try again in a moment");
  }
  return makeView(directory, tail, pointer, hasOutdated);
}

/**
 * Columns of the segments of the given stretches; BrokenSegments when some can't be had. Those in `mended` are taken
 * from there.
 */
export async function loadStretches(
  forge: Forge,
  directory: DirectoryPlace,
  stretches: readonly Stretch[],
  { withTexts = false, mended }: { withTexts?: boolean; mended?: Mended | undefined } = {},
): Promise<ReadonlyMap<SegmentSummary, Columns> | BrokenSegments> {
  const segments = stretches.flatMap(({ segment }) => segment ?? []);
  const isMended = ({ id }: SegmentSummary) => mended?.has(id) === true;
  const stored = segments.filter((segment) => !isMended(segment));
  const { columns, broken } = await loadSegments(forge, directory, stored, { withTexts });
  if (broken.size > 0) return new BrokenSegments(broken);
  const fromItems = segments.filter(isMended).map((one) => [one, mended?.get(one.id) as Columns] as const);
  return new Map([...columns, ...fromItems]);
}

/** Whether a stretch costs nothing to look at: it has no segment, or its segment is in memory. */
export const isAtHand = (forge: Forge, { partition }: DirectoryPlace, { segment }: Stretch): boolean =>
  segment === undefined || isCached(forge, partition, segment);
