import { paddedTime, randomId } from "../../../ids.ts";
import type { Item, TableKey } from "../../../table/write.ts";
import { gitPartition } from "../refs/refs.table.ts";

/** Packs under the repository's prefix that a consolidation removed from its manifest, and when, in milliseconds. */
export interface ReplacedPacks extends Item {
  readonly packs: readonly string[];
  readonly replacedAt: number;
  readonly _v: 1;
}

/** The packs that consolidations replaced. */
export const replacedPacksOf = (repositoryId: number) => ({ pk: gitPartition(repositoryId), prefix: "OLD#" });
export const replacedPacks = (
  repositoryId: number,
  packs: readonly string[],
  replacedAt: number,
): ReplacedPacks => ({
  pk: gitPartition(repositoryId),
  sk: `OLD#${paddedTime(replacedAt)}#${randomId()}`,
  packs,
  replacedAt,
  _v: 1,
});

/** Unnamed objects that a sweep saw, and when: a push may be about to name them. */
export interface UnnamedObjects extends Item {
  readonly packs: readonly string[];
  /** Ids of chunks that were staged for a push log. */
  readonly staged: readonly string[];
  readonly seenAt: number;
  readonly _v: 1;
}
export const unnamedKey = (repositoryId: number): TableKey => ({
  pk: gitPartition(repositoryId),
  sk: "UNNAMED",
});
