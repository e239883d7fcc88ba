/**
 * The entry at hand while a directory is walked: one object that moves from entry to entry, so that a walk makes none.
 * Don't keep it.
 */
export interface Row {
  id: number;
  /** Holds the packed entry from `at` on. */
  bytes: Buffer;
  at: number;
  /** Holds the packed text from `textAt` on; undefined when the walk does without texts. */
  text: Buffer | undefined;
  textAt: number;
}

/** By what matching entries are ordered. Entries of one key are ordered by id, newest first or oldest first. */
export interface Ranking {
  readonly key: (row: Row) => number | string;
  readonly isDescending: boolean;
  readonly ties: "newest" | "oldest";
}

/** Where in an entry the part lies that another writer replaces, with a version of its own in its first 6 bytes. */
export interface ActivityBlock {
  readonly at: number;
  readonly length: number;
}

/**
 * What a directory knows of its entries. A packed entry begins with a format byte and a flags byte whose lowest bit
 * says that the thing exists; filters and orders read the bytes in place.
 */
export interface EntryKind<Entry, Filter, Sort> {
  /** `version` is the edit version of the thing that the entry describes. */
  encode(entry: Entry, version: number): Buffer;
  /** Throws when the format is unknown. */
  decode(bytes: Buffer, at: number): Entry & { readonly version: number };
  /** Texts that only few searches need, kept apart from the entry. */
  encodeText?(entry: Entry): Buffer;
  readonly activity?: ActivityBlock;
  matcher(filter: Filter): (row: Row) => boolean;
  ranking(sort: Sort): Ranking;
}

/** The lowest bit of each entry's flags byte: clear when the thing is gone. */
export const existsFlag = 1;
/** Where each entry's flags byte lies. */
export const flagsAt = 1;

/** Whether the thing that the entry describes exists. */
export const isThere = (row: Row): boolean => ((row.bytes[row.at + flagsAt] ?? 0) & existsFlag) !== 0;
