import type { Item, TableKey } from "../table/write.ts";

/** An archive that lies in the bucket, until its time is over. */
export interface KeptArchive extends Item {
  readonly objectKey: string;
  readonly sizeBytes: number;
  /** Seconds: from then on no request is led to the object, and some hours later it goes. */
  readonly until: number;
  /** The item stays longer than its object, because it counts as long as the object is there. */
  readonly ttl: number;
  readonly _v: 1;
}

/** An object that no name leads to: of an archive that is being uploaded, or that was evicted. It counts, too. */
export interface UnnamedArchive extends Item {
  readonly objectKey: string;
  readonly sizeBytes: number;
  /** Seconds: from then on the next archive of the repository removes it. */
  readonly removableAt: number;
  readonly ttl: number;
  readonly _v: 1;
}

/** All archives of a repository. */
export const archivesPartition = (repositoryId: number): string => `ARC#${repositoryId}`;

/** `name` is a hash of all that the archive's bytes come from. */
export const archiveKey = (repositoryId: number, name: string): TableKey => ({
  pk: archivesPartition(repositoryId),
  sk: name,
});

const unnamedPrefix = "~";

export const unnamedArchiveKey = (repositoryId: number, id: string): TableKey => ({
  pk: archivesPartition(repositoryId),
  sk: `${unnamedPrefix}${id}`,
});

/** Whether no name leads to the archive of an item. */
export const isUnnamed = (item: KeptArchive | UnnamedArchive): item is UnnamedArchive =>
  item.sk.startsWith(unnamedPrefix);
