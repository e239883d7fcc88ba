import { padded } from "../ids.ts";
import type { Item, TableKey } from "../table.ts";

/** What changed since the last fold, one item per entry, overwritten in place. */
export interface TailItem extends Item {
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

/** Where a repository's issue directory lies. */
export const issueDirectoryPartition = (repositoryId: number): string => `R#${repositoryId}#DIR`;
/** Where the repository directory lies. */
export const repositoryDirectoryPartition = "DIR#repo";
/** Where the directory of users and organizations lies. */
export const userDirectoryPartition = "DIR#user";

/**
 * Tail and pointer lie side by side, the pointer last: one query reads the tail and then the pointer, which is the order
 * that readers need.
 */
export const statePrefix = "T";
export const entryPrefix = `${statePrefix}#`;
export const activityPrefix = `${statePrefix}A#`;

/** The tail item of an entry. */
export const entryKey = (partition: string, id: number): TableKey => ({
  pk: partition,
  sk: `${entryPrefix}${padded(id)}`,
});

/** The item of an entry's activity. */
export const activityKey = (partition: string, id: number): TableKey => ({
  pk: partition,
  sk: `${activityPrefix}${padded(id)}`,
});

/** The item that names the segments of a directory. */
export const pointerKey = (partition: string): TableKey => ({ pk: partition, sk: `${statePrefix}P` });

/** Where columns lie in a directory's partition: entries, texts. */
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

/** The entry that an item of the tail belongs to. */
export const idOf = ({ sk }: TableKey): number => Number(sk.slice(sk.indexOf("#") + 1));
