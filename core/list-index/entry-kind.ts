/**
 * The current entry of a walk through an index: one object that moves from entry to entry, so that the walk allocates
 * none. Don't keep it.
 */
export interface Row {
  id: number;
  /** Holds the packed entry from `at` on. */
  bytes: Buffer;
  at: number;
  /** Holds the packed text from `textAt` on; undefined when the walk needs no texts. */
  text: Buffer | undefined;
  textAt: number;
}

/** The order of matching entries. Entries with equal keys are ordered by id, newest or oldest first. */
export interface Ranking {
  readonly key: (row: Row) => number | string;
  readonly isDescending: boolean;
  readonly ties: "newest" | "oldest";
  /** The key is the id itself: the walk is in order already. */
  readonly isById?: boolean;
}

/** The part of an entry that another writer replaces, with a version of its own in its first 6 bytes. */
export interface ActivityBlock {
  readonly at: number;
  readonly length: number;
}

/** How long the version of an activity block is. */
export const activityVersionBytes = 6;

/** How long something packed is that begins at `at`. */
export type LengthAt = (bytes: Buffer, at: number) => number;

/**
 * Finds the entries that a filter always accepts, from the entry and from what `version` stands for alone: so the
 * result is kept with an order.
 */
export interface SureTest<View> {
  /** Of each name one version is kept. */
  readonly name: string;
  /** Changes whenever the test may answer differently for any entry. */
  readonly version: string;
  readonly holds: (view: View) => boolean;
}

/** The manifest counts entries in four classes, with the newest update time. */
export interface SummaryRule {
  /** 0 to 3. */
  readonly classOf: (bytes: Buffer, at: number) => number;
  /** The place of the update time: 32 bits, seconds. */
  readonly updatedAt: number;
}

/** How entries lie in segments: what reading, compaction and rebuilding know of a kind. */
export interface EntryLayout {
  /** How many consecutive ids share a segment, unless their entries are too long for one. At most 65,536. */
  readonly span: number;
  readonly length: LengthAt;
  /** The format byte of the entries that this program reads. */
  readonly format: number;
  /** The place of the 32-bit version. */
  readonly versionAt: number;
  readonly activity?: ActivityBlock;
  /** Texts lie in a column of their own; `none` is the packed text of an entry without one. */
  readonly text?: { readonly length: LengthAt; readonly none: Buffer };
  readonly summary?: SummaryRule;
}

/** What a list has to load for a filter. Absent members rule nothing out. */
export interface Needs {
  /** Only these ids can match. */
  readonly ids?: ReadonlySet<number>;
  /** Nothing that was last updated before this second can match. */
  readonly updatedSince?: number;
  readonly texts?: boolean;
}

/**
 * The knowledge of an index about its entries. A packed entry begins with a format byte and a flags byte whose lowest
 * bit says that the thing exists; filters and orders read the bytes in place.
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
  /** The name of an order that follows from the entries alone: it is kept as long as the segments. Else undefined. */
  keptOrder?(sort: Sort): string | undefined;
  needs(filter: Filter): Needs;
  /** The test for certain matches; undefined when the filter has none. */
  sureTest?(filter: Filter): SureTest<Row> | undefined;
  /** The classes whose counts say how many entries match, for the order newest id first; else undefined. */
  countedClasses?(filter: Filter, sort: Sort): readonly number[] | undefined;
}

/** The lowest bit of each entry's flags byte: clear when the thing is gone. */
export const existsFlag = 1;
/** The place of each entry's flags byte. */
export const flagsAt = 1;

/** Whether the thing that the entry describes exists. */
export const isThere = (row: Row): boolean => ((row.bytes[row.at + flagsAt] ?? 0) & existsFlag) !== 0;

/** Whether an entry is of the format that this program reads. */
export const isReadable = ({ format }: EntryLayout, bytes: Uint8Array, at = 0): boolean =>
  bytes[at] === format;

/** A row that stands nowhere yet. */
export const newRow = (): Row => ({ id: 0, bytes: Buffer.alloc(0), at: 0, text: undefined, textAt: 0 });
