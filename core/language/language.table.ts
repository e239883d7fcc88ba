import type { ObjectId } from "../git/format/object-format.ts";
import { repositoryPartition } from "../repository/repository.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/** The languages of a repository's default branch at the last count. */
export interface Languages extends Item {
  /** The commit that was counted; empty when the branch was missing. */
  readonly commitId: ObjectId | "";
  /** The edition of ROOT at the count: a count of an older one does not replace it. */
  readonly edition: number;
  /** Bytes by language, most first. */
  readonly sizes: readonly (readonly [language: string, bytes: number])[];
  /** The rules by which all of that commit was counted; absent when a bound was met. */
  readonly rules?: number;
  readonly _v: 1;
}

export const languagesKey = (repositoryId: number): TableKey => ({
  pk: repositoryPartition(repositoryId),
  sk: "LANGUAGES",
});
