import type { Forge } from "../../forge.ts";
import { type Item, put, type TableKey, type Write } from "../../table/write.ts";
import { branchDigest } from "../branch-digest.ts";
import { type PullRequest, pullsPartition } from "../pull.table.ts";
import { hasPushedHead } from "./pushed-head.ts";

/** Names the request that was merged last from a branch of the base's own repository. */
export interface MergedHeadRow extends Item {
  readonly number: number;
  /** The branch that it went into. */
  readonly base: string;
  readonly _v: 1;
}

/** The branch is a branch of the base's repository. */
export const mergedHeadKey = (repositoryId: number, head: string): TableKey => ({
  pk: pullsPartition(repositoryId),
  sk: `MERGEDHEAD#${branchDigest(head)}`,
});

/**
 * For the transaction that merges a request: tells later where requests into its head go once that branch is deleted
 * (B-05, D-RETARGET). None when the head lies in another repository (B-05c).
 */
export function mergedHeadWrites({ repositoryId, number, pull }: PullRequest): Write[] {
  if (pull.headRepositoryId !== repositoryId || hasPushedHead(pull)) return [];
  const row: MergedHeadRow = { ...mergedHeadKey(repositoryId, pull.head), number, base: pull.base, _v: 1 };
  return [put(row)];
}

/** The request that was merged last from this branch of its own repository. */
export const findMergedFrom = ({ table }: Forge, repositoryId: number, head: string) =>
  table.get<MergedHeadRow>(mergedHeadKey(repositoryId, head));
