import type { Item, TableKey } from "../table/write.ts";
import { repositoryPartition } from "./repository.table.ts";

/** Words with which site administrators flag a repository (semantics §67.1). */
export interface Flags extends Item {
  /** In order, each once. */
  readonly names: readonly string[];
  /** Edit version: the condition of the next write. */
  readonly v: number;
  readonly _v: 1;
}

/** One item holds all flags of a repository. */
export const flagsKey = (repositoryId: number): TableKey => ({
  pk: repositoryPartition(repositoryId),
  sk: "FLAGS",
});
