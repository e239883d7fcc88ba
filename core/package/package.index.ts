import { packageSequenceKey } from "../ids.ts";
import type { EntryKind, EntryLayout, Ranking, Row } from "../list-index/entry-kind.ts";
import { packageIndexPartition } from "../list-index/list-index.table.ts";
import { deltaWrite, type ListIndex } from "../list-index/list-index.ts";
import { numberedIndex } from "../list-index/numbered-index.ts";
import { occursIn, searchText } from "../list-index/packing.ts";
import type { Write } from "../table/write.ts";
import { type ListedVersion, listedVersionKey, type PackageType } from "./package.table.ts";
import {
  decodePackage,
  encodePackage,
  endOfName,
  type PackageEntry,
  packageAt,
  packageFormat,
  typeCode,
} from "./package-entry.ts";

/** Filters for versions; absent members filter nothing. */
export interface PackageFilter {
  readonly type?: PackageType;
  /** A part of the name, in any case. */
  readonly name?: string;
  readonly packageId?: number;
  /** Packages that are being removed. */
  readonly leaving: ReadonlySet<number>;
}

/** The newest version first, or the largest. */
export type PackageSort = "newest" | "largest";

/** The list index of the versions of an owner's packages, by number. */
export const packageIndex = (ownerId: number): ListIndex<PackageEntry, PackageFilter, PackageSort> =>
  numberedIndex({
    name: "packages",
    holderId: ownerId,
    partition: packageIndexPartition,
    sequenceKey: packageSequenceKey,
    itemKey: listedVersionKey,
    kind: packageKind,
  });

/** The entry of a version as it is now, for the transaction that writes it. */
export const packageDelta = (ownerId: number, listed: ListedVersion): Write =>
  deltaWrite(packageIndex(ownerId), listed.number, listed, listed.v);

/** The package of an entry, for lists that look at each package once. */
export const packageIdOf = ({ bytes, at }: Row): number => bytes.readUInt32BE(at + packageAt.packageId);

const layout: EntryLayout = {
  span: 1024,
  format: packageFormat,
  length: (bytes, at) => endOfName(bytes, at) - at,
  versionAt: packageAt.version,
};

const rankings: Readonly<Record<PackageSort, Ranking>> = {
  newest: { key: (row) => row.id, isDescending: true, ties: "newest", isById: true },
  largest: {
    key: ({ bytes, at }) => bytes.readUIntBE(at + packageAt.bytes, 6),
    isDescending: true,
    ties: "newest",
  },
};

const packageKind: EntryKind<PackageEntry, PackageFilter, PackageSort> = {
  layout,
  encode: encodePackage,
  decode: decodePackage,
  matcher,
  ranking: (sort) => rankings[sort],
  keptOrder: (sort) => sort,
  needs: () => ({}),
};

function matcher({ type, name = "", packageId, leaving }: PackageFilter): (row: Row) => boolean {
  const code = type === undefined ? undefined : typeCode(type);
  const needle = searchText(name, Number.POSITIVE_INFINITY);
  return (row) => {
    const { bytes, at } = row;
    if (code !== undefined && bytes.readUInt16BE(at + packageAt.type) !== code) return false;
    const id = packageIdOf(row);
    if (packageId !== undefined && id !== packageId) return false;
    if (leaving.has(id)) return false;
    return needle.length === 0 || occursIn(bytes, at + packageAt.name, endOfName(bytes, at), needle);
  };
}
