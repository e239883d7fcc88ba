import { padded } from "../ids.ts";
import type { Item, TableKey } from "../table/write.ts";

/** An entry changed since the last compaction: one item for each, overwritten in place. */
export interface DeltaItem extends Item {
  /** The packed entry. */
  readonly e: Uint8Array;
  /** Packed texts, of kinds that have them. */
  readonly x?: Uint8Array;
  /** The version of the thing that the entry describes. */
  readonly v: number;
  readonly _v: 1;
}

/** The activity of a repository: the bytes of the entry's activity block. `v` is a time in milliseconds. */
export interface ActivityItem extends Item {
  readonly e: Uint8Array;
  readonly v: number;
  readonly _v: 1;
}

/** One column of a segment: immutable, under an id that nobody else writes. */
export interface SegmentItem extends Item {
  /** The packed column. */
  readonly b: Uint8Array;
  readonly _v: 1;
}

/** The place of a repository's list index of issues. */
export const issueIndexPartition = (repositoryId: number): string => `R#${repositoryId}#DIR`;
/** The place of a repository's list index of releases. */
export const releaseIndexPartition = (repositoryId: number): string => `R#${repositoryId}#RELDIR`;
/** The place of a repository's list index of artifacts. */
export const artifactIndexPartition = (repositoryId: number): string => `R#${repositoryId}#ARTDIR`;
/** The place of a repository's list index of runs. */
export const runIndexPartition = (repositoryId: number): string => `R#${repositoryId}#RUNDIR`;
/** The place of the list index of the versions of an owner's packages. */
export const packageIndexPartition = (ownerId: number): string => `O#${ownerId}#PKGDIR`;
/** The place of the list index of repositories. */
export const repositoryIndexPartition = "DIR#repo";
/** The place of the list index of users and organizations. */
export const ownerIndexPartition = "DIR#user";

/**
 * Deltas and the manifest lie side by side, the manifest last: one query reads the deltas and then the manifest, the
 * order that readers need.
 */
export const statePrefix = "T";
export const entryPrefix = `${statePrefix}#`;
export const activityPrefix = `${statePrefix}A#`;

/** The delta of an entry. */
export const entryKey = (partition: string, id: number): TableKey => ({
  pk: partition,
  sk: `${entryPrefix}${padded(id)}`,
});

/** The item of an entry's activity. */
export const activityKey = (partition: string, id: number): TableKey => ({
  pk: partition,
  sk: `${activityPrefix}${padded(id)}`,
});

/** The manifest: the item that names the segments of a list index. */
export const manifestKey = (partition: string): TableKey => ({ pk: partition, sk: `${statePrefix}P` });

/** Where columns lie in an index's partition: entries, texts. */
export const segmentPrefixes = ["S#", "X#"] as const;

/** A segment's entries: `first` is its first id, `id` random. */
export const segmentKey = (partition: string, first: number, id: string): TableKey => ({
  pk: partition,
  sk: `${segmentPrefixes[0]}${padded(first)}#${id}`,
});

/** A segment's texts. */
export const textSegmentKey = (partition: string, first: number, id: string): TableKey => ({
  pk: partition,
  sk: `${segmentPrefixes[1]}${padded(first)}#${id}`,
});

/** The id of the entry that a delta belongs to. */
export const idOf = ({ sk }: TableKey): number => Number(sk.slice(sk.indexOf("#") + 1));
