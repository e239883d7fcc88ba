import { createHash } from "node:crypto";
import type { Allowed } from "../branch-protection/branch-protection.table.ts";
import { padded } from "../ids.ts";
import { repositoryPartition } from "../repository/repository.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/** A rule that protects tags. Times are whole seconds. */
export interface TagProtection extends Item {
  readonly id: number;
  /** A glob over names, or a regular expression between slashes. */
  readonly namePattern: string;
  /** The users who may make, move and delete the tags that it is for. */
  readonly allowed: Allowed;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Edit version: the condition of the next write. */
  readonly v: number;
  readonly _v: 1;
}

/** The beginning of the rules' sort keys; their guards' begin otherwise. */
export const tagProtectionPrefix = "TP#";
export const tagProtectionKey = (repositoryId: number, id: number): TableKey => ({
  pk: repositoryPartition(repositoryId),
  sk: `${tagProtectionPrefix}${padded(id)}`,
});
/** All rules of a repository, oldest first. */
export const tagProtectionsOf = (repositoryId: number) => ({
  pk: repositoryPartition(repositoryId),
  prefix: tagProtectionPrefix,
});

/** Keeps patterns unique in a repository. */
export interface TagPatternGuard extends Item {
  readonly id: number;
  readonly _v: 1;
}
export const tagPatternPrefix = "TPN#";
export const tagPatternKey = (repositoryId: number, namePattern: string): TableKey => ({
  pk: repositoryPartition(repositoryId),
  sk: `${tagPatternPrefix}${createHash("sha256").update(namePattern).digest("hex").slice(0, 32)}`,
});
