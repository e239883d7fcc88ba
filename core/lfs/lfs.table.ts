import { createHash } from "node:crypto";
import { padded } from "../ids.ts";
import { repositoryPartition } from "../repository/repository.table.ts";
import type { Item, TableKey } from "../table/write.ts";
import type { LfsPointer } from "./pointer.ts";

/** An object that a repository has: its content lies in the file of an upload, which other repositories may share. */
export interface LfsObject extends Item {
  readonly repositoryId: number;
  /** The SHA-256 of the content, in hex. */
  readonly oid: string;
  readonly sizeBytes: number;
  /** The upload whose file it is. */
  readonly uploadId: string;
  /** Milliseconds. */
  readonly linkedAt: number;
  readonly _v: 1;
}

/**
 * At the object's id: a repository that has it in the file of this upload; the file stays as long as one has. With
 * `isGone` it says that the upload was given up before its repository had it: its file must not be named any more.
 */
export interface LfsHolder extends Item {
  readonly repositoryId: number;
  readonly uploadId: string;
  readonly isGone?: true;
  /** Seconds since the epoch, of those that are gone alone. */
  readonly ttl?: number;
  readonly _v: 1;
}

/** At a fork: until its job is through, objects of these repositories are its own, too. */
export interface LfsSources extends Item {
  readonly sourceIds: readonly number[];
  /** When the fork was made (milliseconds): what sources get later is the fork's only while its owner may read them. */
  readonly since?: number;
  readonly _v: 1;
}

/** At a source: a fork that is still to get the objects. */
export interface LfsWaitingFork extends Item {
  readonly forkId: number;
  readonly _v: 1;
}

export const lfsPartition = (repositoryId: number): string => `${repositoryPartition(repositoryId)}#LFS`;
const objectPrefix = "O#";
export const lfsObjectKey = (repositoryId: number, oid: string): TableKey => ({
  pk: lfsPartition(repositoryId),
  sk: `${objectPrefix}${oid}`,
});
/** The objects of a repository, by id. */
export const lfsObjectsOf = (repositoryId: number) => ({
  pk: lfsPartition(repositoryId),
  prefix: objectPrefix,
});
export const lfsSourcesKey = (forkId: number): TableKey => ({ pk: lfsPartition(forkId), sk: "SOURCES" });
const forkPrefix = "FORK#";
export const lfsWaitingForkKey = (sourceId: number, forkId: number): TableKey => ({
  pk: lfsPartition(sourceId),
  sk: `${forkPrefix}${padded(forkId)}`,
});
/** The forks of a repository that wait for its objects. */
export const lfsWaitingForksOf = (sourceId: number) => ({ pk: lfsPartition(sourceId), prefix: forkPrefix });

/** A place in the bucket. */
export interface LfsFile {
  readonly oid: string;
  readonly uploadId: string;
}

const holderPartition = (oid: string): string => `LFS#${oid}`;
export const lfsHolderKey = ({ oid, uploadId }: LfsFile, repositoryId: number): TableKey => ({
  pk: holderPartition(oid),
  sk: `${uploadId}#${padded(repositoryId)}`,
});
/** Everything that has an object, or its file alone. */
export const lfsHoldersOf = (oid: string) => ({ pk: holderPartition(oid) });
export const lfsHoldersOfFile = ({ oid, uploadId }: LfsFile) => ({
  pk: holderPartition(oid),
  prefix: `${uploadId}#`,
});

/** The files of an upload, which brings up to as many objects as a batch names, and one of them. */
export const lfsFilesOf = (uploadId: string): string => `lfs/${uploadId}/`;
export const lfsFile = ({ oid, uploadId }: LfsFile): string => `${lfsFilesOf(uploadId)}${oid}`;

/**
 * The objects that fetched commits of a mirror name, to be brought after the fetch. Those that a sync doesn't get stay for
 * the next one.
 */
export interface WantedLfs extends Item {
  readonly objects: readonly LfsPointer[];
  /** Syncs that asked for all of them. */
  readonly tries: number;
  readonly _v: 1;
}

const wantedPrefix = "WANTED#";

/** `page` counts the items of a fetch from 0. */
export const wantedLfsKey = (repositoryId: number, fetchId: string, page: number): TableKey => ({
  pk: lfsPartition(repositoryId),
  sk: `${wantedPrefix}${fetchId}#${padded(page)}`,
});
/** All that a repository wants. */
export const wantedLfsOf = (repositoryId: number) => ({
  pk: lfsPartition(repositoryId),
  prefix: wantedPrefix,
});

/** A path that one user keeps others from changing. */
export interface LfsLock extends Item {
  /** Unique in the instance. */
  readonly id: number;
  readonly repositoryId: number;
  readonly path: string;
  readonly ownerId: number;
  /** Whole seconds. */
  readonly lockedAt: number;
  readonly _v: 1;
}

/** Leads from a path, in any letter case, to its lock. */
export interface LfsLockGuard extends Item {
  readonly id: number;
  readonly _v: 1;
}

export const lfsLocksPartition = (repositoryId: number): string =>
  `${repositoryPartition(repositoryId)}#LOCK`;
const lockPrefix = "N#";
export const lfsLockKey = (repositoryId: number, id: number): TableKey => ({
  pk: lfsLocksPartition(repositoryId),
  sk: `${lockPrefix}${padded(id)}`,
});
/** The locks of a repository, by id. */
export const lfsLocksOf = (repositoryId: number) => ({
  pk: lfsLocksPartition(repositoryId),
  prefix: lockPrefix,
});
export const lfsLockGuardKey = (repositoryId: number, path: string): TableKey => ({
  pk: lfsLocksPartition(repositoryId),
  sk: `P#${createHash("sha256").update(path.toLowerCase()).digest("hex")}`,
});
