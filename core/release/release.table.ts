import { isTextName } from "../git/refs/ref-name.ts";
import { padded } from "../ids.ts";
import { repositoryPartition } from "../repository/repository.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/** A release of a repository. Times are whole seconds. */
export interface Release extends Item {
  /** Unique in the instance: made of the repository's id and the number (`releaseId`). */
  readonly id: number;
  readonly repositoryId: number;
  /** Counts the repository's releases: its place in the list index. */
  readonly number: number;
  readonly tagName: string;
  /** Where the tag was to be made, as the author wrote it. */
  readonly target: string;
  readonly title: string;
  readonly body: string;
  readonly isDraft: boolean;
  readonly isPrerelease: boolean;
  readonly hidesArchiveLinks: boolean;
  /** It is a draft because its tag was deleted: the tag's return publishes it. */
  readonly hasLostTag?: true;
  readonly authorId: number;
  /** Of the tag, or of the draft. */
  readonly createdAt: number;
  /** Its assets, with their number and bytes; these and `assetChanges` change without a new `v`. */
  readonly attachmentIds?: ReadonlySet<number>;
  readonly assets: number;
  readonly assetBytes: number;
  /** How often the three were changed: the condition of the release's removal. */
  readonly assetChanges: number;
  /** Edit version: the condition of the next edit. */
  readonly v: number;
  readonly _v: 1;
}

/** Keeps a tag to one release, in any case, and counts the downloads of its archives. */
export interface ReleaseTag extends Item {
  readonly number: number;
  readonly tagName: string;
  readonly zipDownloads?: number;
  readonly tarDownloads?: number;
  readonly _v: 1;
}

/** A repository has fewer releases than this, ever. */
export const numbersPerRepository = 2 ** 20;

/** The id of a repository's release: the number alone would be other repositories' as well. */
export const releaseId = (repositoryId: number, number: number): number =>
  repositoryId * numbersPerRepository + number;

/** The number of a repository's release in its id; undefined when the id is one of another repository. */
export function releaseNumberIn(repositoryId: number, id: number): number | undefined {
  const number = id - releaseId(repositoryId, 0);
  return number > 0 && number < numbersPerRepository ? number : undefined;
}

/** The longest tag of a release, in UTF-16 units: keys end at 1,024 bytes. */
export const longestTagName = 255;
/** Whether a tag in git is one that a release can have. */
export const isReleasable = (tagName: string): boolean =>
  tagName.length <= longestTagName && isTextName(tagName);

/** The releases of a repository, and the guards of their tags. */
export const releasesPartition = (repositoryId: number): string => `${repositoryPartition(repositoryId)}#REL`;
const releasePrefix = "N#";
export const releaseKey = (repositoryId: number, number: number): TableKey => ({
  pk: releasesPartition(repositoryId),
  sk: `${releasePrefix}${padded(number)}`,
});
/** The key of the release of an id, for reading it ahead; none when the id is one of another repository. */
export function releaseKeysOf(repositoryId: number, id: number): TableKey[] {
  const number = releaseNumberIn(repositoryId, id);
  return number === undefined ? [] : [releaseKey(repositoryId, number)];
}
export const releaseTagKey = (repositoryId: number, tagName: string): TableKey => ({
  pk: releasesPartition(repositoryId),
  sk: `TAG#${tagName.toLowerCase()}`,
});
