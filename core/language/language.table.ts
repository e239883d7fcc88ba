import type { ObjectId } from "../git/object/object-format.ts";
import { repositoryPartition } from "../repository/repository.table.ts";
import type { Item, TableKey } from "../table.ts";

/** What the default branch of a repository is written in, as it was counted last. */
export interface Languages extends Item {
  /** The commit that was counted; empty where the branch was not there. */
  readonly commitId: ObjectId | "";
  /** The edition of ROOT that said so: what was counted of an older one does not replace it. */
  readonly edition: number;
  /** Bytes by language, most first. */
  readonly sizes: readonly (readonly [language: string, bytes: number])[];
  /** By which rules all of that commit was counted; absent where a bound was met. */
  readonly rules?: number;
  readonly _v: 1;
}

export const languagesKey = (repositoryId: number): TableKey => ({
  pk: repositoryPartition(repositoryId),
  sk: "LANGUAGES",
});
