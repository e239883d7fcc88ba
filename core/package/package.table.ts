import { padded } from "../ids.ts";
import type { Item, TableKey } from "../table/write.ts";

/** The registries that there are. Their order is fixed: entries of the list index hold the place. */
export const packageTypes = ["generic", "npm"] as const;
export type PackageType = (typeof packageTypes)[number];

/** A package: the versions of one name in one registry of an owner. Times are whole seconds. */
export interface Package extends Item {
  readonly id: number;
  readonly ownerId: number;
  readonly type: PackageType;
  /** As its first version was called; found in any case. */
  readonly name: string;
  /** The repository that it belongs to, of the same owner; absent: none. */
  readonly repositoryId?: number;
  /** Tags of npm: the version that each leads to. */
  readonly tags: Readonly<Record<string, string>>;
  readonly versions: number;
  /** Of all files of all versions. */
  readonly bytes: number;
  readonly createdAt: number;
  /** Rises with whatever a registry tells of the package; the condition of the next change of its tags. */
  readonly v: number;
  readonly _v: 1;
}

/** A version of a package. */
export interface PackageVersion extends Item {
  /** Unique in the instance: made of the owner's id and the number. */
  readonly id: number;
  /** Counts the versions of all packages of the owner: its place in the list index. */
  readonly number: number;
  readonly packageId: number;
  readonly ownerId: number;
  readonly type: PackageType;
  readonly name: string;
  readonly version: string;
  readonly creatorId: number;
  readonly createdAt: number;
  readonly files: number;
  readonly bytes: number;
  /** How often its files were downloaded; changes without a new `v`. */
  readonly downloads: number;
  /** What its registry keeps of it, as JSON. */
  readonly metadata?: string;
  /** Why nobody should use it any more. */
  readonly deprecated?: string;
  readonly v: number;
  readonly _v: 1;
}

/** The text that introduces a version, apart from it: few readers want it. */
export interface PackageReadme extends Item {
  readonly number: number;
  readonly text: string;
  readonly _v: 1;
}

/** The hashes of a file, in hexadecimal digits. */
export interface FileHashes {
  readonly md5: string;
  readonly sha1: string;
  readonly sha256: string;
  readonly sha512: string;
}

/** A file of a version. */
export interface PackageFile extends Item, FileHashes {
  readonly id: number;
  readonly ownerId: number;
  readonly packageId: number;
  /** Its version's. */
  readonly number: number;
  readonly name: string;
  readonly sizeBytes: number;
  /** Where its bytes lie, as long as it is there: the object of its content. */
  readonly object: string;
  readonly createdAt: number;
  readonly _v: 1;
}

/** A version in the order of its owner's: what the list index tells of it. */
export interface ListedVersion extends Item {
  readonly number: number;
  readonly packageId: number;
  readonly type: PackageType;
  readonly name: string;
  readonly version: string;
  readonly createdAt: number;
  readonly bytes: number;
  readonly v: number;
  readonly _v: 1;
}

/** A content that files of one owner have: it lies in the bucket once. */
export interface PackageContent extends Item {
  /** The end of the object's key. */
  readonly object: string;
  readonly sizeBytes: number;
  /** How many files have it. */
  readonly files: number;
  readonly _v: 1;
}

/** A package whose removal is underway: lists leave its versions out. */
export interface LeavingPackage extends Item {
  readonly packageId: number;
  readonly _v: 1;
}

/** An owner has fewer versions than this, ever. */
export const numbersPerOwner = 2 ** 24;
export const packageVersionId = (ownerId: number, number: number): number =>
  ownerId * numbersPerOwner + number;

/** Everything of an owner's packages but their versions and files. */
export const packagesPartition = (ownerId: number): string => `O#${ownerId}#PKG`;
export const packagePrefix = "P#";
export const packageKey = (ownerId: number, type: PackageType, name: string): TableKey => ({
  pk: packagesPartition(ownerId),
  sk: `${packagePrefix}${type}#${name.toLowerCase()}`,
});
export const listedVersionKey = (ownerId: number, number: number): TableKey => ({
  pk: packagesPartition(ownerId),
  sk: `N#${padded(number)}`,
});
export const contentKey = (ownerId: number, sha256: string): TableKey => ({
  pk: packagesPartition(ownerId),
  sk: `B#${sha256}`,
});
export const leavingPrefix = "X#";
export const leavingPackageKey = (ownerId: number, packageId: number): TableKey => ({
  pk: packagesPartition(ownerId),
  sk: `${leavingPrefix}${padded(packageId)}`,
});
/** Which packages belong to a repository. */
export const packageLinkPrefix = "PKG#";
export const packageLinkKey = (repositoryId: number, packageId: number): TableKey => ({
  pk: `R#${repositoryId}`,
  sk: `${packageLinkPrefix}${padded(packageId)}`,
});

/** The versions of a package, their texts and their files. */
export const versionsPartition = (packageId: number): string => `PKG#${packageId}`;
export const versionPrefix = "V#";
export const versionKey = (packageId: number, version: string): TableKey => ({
  pk: versionsPartition(packageId),
  sk: `${versionPrefix}${version.toLowerCase()}`,
});
export const readmePrefix = "T#";
export const readmeKey = (packageId: number, number: number): TableKey => ({
  pk: versionsPartition(packageId),
  sk: `${readmePrefix}${padded(number)}`,
});
/** The files of a version, by its number: a version of the same name that comes later has others. */
export const filesOfVersion = (packageId: number, number: number) => ({
  pk: versionsPartition(packageId),
  prefix: `F#${padded(number)}#`,
});
export const fileKey = (packageId: number, number: number, name: string): TableKey => ({
  pk: versionsPartition(packageId),
  sk: `${filesOfVersion(packageId, number).prefix}${name.toLowerCase()}`,
});

/** The place of the contents of an owner's packages, and of one of them. */
const packageObjects = (ownerId: number): string => `packages/${ownerId}/`;
export const packageObject = (ownerId: number, object: string): string =>
  `${packageObjects(ownerId)}${object}`;
