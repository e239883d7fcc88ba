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
  /** The key is the id itself: what is walked is in order already. */
  readonly isById?: boolean;
}

/** Where in an entry the part lies that another writer replaces, with a version of its own in its first 6 bytes. */
export interface ActivityBlock {
  readonly at: number;
  readonly length: number;
}

/** How long the version of an activity block is. */
export const activityVersionBytes = 6;

/** How long something packed is that begins at `at`. */
export type LengthAt = (bytes: Buffer, at: number) => number;

/**
 * Tells entries that a filter lets through whatever else it asks: by the entry alone and by what the version stands for,
 * so that it is kept with an order which of them they are.
 */
export interface SureTest<View> {
  /** Of each name one version is kept. */
  readonly name: string;
  /** Another one where the test may say anything else of any entry. */
  readonly version: string;
  readonly holds: (view: View) => boolean;
}

/** Entries are counted in four classes in the pointer, with the newest of their update times. */
export interface SummaryRule {
  /** 0 to 3. */
  readonly classOf: (bytes: Buffer, at: number) => number;
  /** Where the update time lies: 32 bits, seconds. */
  readonly updatedAt: number;
}

/** How entries lie in segments: what reading, folding and rebuilding know of a kind. */
export interface EntryLayout {
  /** How many ids in a row share a segment, unless their entries are too long for one. At most 65,536. */
  readonly span: number;
  readonly length: LengthAt;
  /** The format byte of the entries that this program reads. */
  readonly format: number;
  /** Those of earlier programs, in place of whose entries the items count. */
  readonly earlierFormats?: readonly number[];
  /** Where the 32-bit version lies. */
  readonly versionAt: number;
  readonly activity?: ActivityBlock;
  /** Texts lie in a column of their own; `none` is the packed text of an entry without any. */
  readonly text?: { readonly length: LengthAt; readonly none: Buffer };
  readonly summary?: SummaryRule;
}

/** What a list has to load for a filter. What is absent rules nothing out. */
export interface Needs {
  /** Nothing but these ids can match. */
  readonly ids?: ReadonlySet<number>;
  /** Nothing that was last updated before this second can match. */
  readonly updatedSince?: number;
  readonly texts?: boolean;
}

/**
 * What a directory knows of its entries. A packed entry begins with a format byte and a flags byte whose lowest bit
 * says that the thing exists; filters and orders read the bytes in place.
 */
export interface EntryKind<Entry, Filter, Sort> {
  readonly layout: EntryLayout;
  /** `version` is the edit version of the thing that the entry describes. */
  encode(entry: Entry, version: number): Buffer;
  /** Throws when the format is unknown. */
  decode(bytes: Buffer, at: number): Entry & { readonly version: number };
  /** Texts that only few searches need, kept apart from the entry. */
  encodeText?(entry: Entry): Buffer;
  matcher(filter: Filter): (row: Row) => boolean;
  ranking(sort: Sort): Ranking;
  /** The name of an order that follows from the entries alone: it is kept as long as the segments last. Else undefined. */
  keptOrder?(sort: Sort): string | undefined;
  needs(filter: Filter): Needs;
  /** What surely matches; undefined where the filter tells of none. */
  sureTest?(filter: Filter): SureTest<Row> | undefined;
  /** The classes whose counts say how many match, where the order is newest id first; else undefined. */
  countedClasses?(filter: Filter, sort: Sort): readonly number[] | undefined;
}

/** The lowest bit of each entry's flags byte: clear when the thing is gone. */
export const existsFlag = 1;
/** Where each entry's flags byte lies. */
export const flagsAt = 1;

/** Whether the thing that the entry describes exists. */
export const isThere = (row: Row): boolean => ((row.bytes[row.at + flagsAt] ?? 0) & existsFlag) !== 0;

/** Whether an entry is of the format that this program reads. */
export const isReadable = ({ format }: EntryLayout, bytes: Uint8Array, at = 0): boolean =>
  bytes[at] === format;

/** Whether an earlier program wrote an entry: it is true, but says less than this program has to know. */
export const isOutdated = ({ earlierFormats }: EntryLayout, bytes: Uint8Array, at = 0): boolean =>
  earlierFormats?.includes(bytes[at] ?? 0) === true;

/** A row that stands nowhere yet. */
export const newRow = (): Row => ({ id: 0, bytes: Buffer.alloc(0), at: 0, text: undefined, textAt: 0 });
