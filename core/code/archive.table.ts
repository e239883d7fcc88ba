import type { Item, TableKey } from "../table.ts";

/** An archive that lies in the bucket, until its time is over. */
export interface CachedArchive extends Item {
  readonly objectKey: string;
  readonly sizeBytes: number;
  /** Seconds: from then on the item counts as absent. Before the object goes. */
  readonly ttl: number;
  readonly _v: 1;
}

/** `name` is a hash of all that the archive's bytes come from. */
export const archiveKey = (repositoryId: number, name: string): TableKey => ({
  pk: `ARC#${repositoryId}`,
  sk: name,
});
