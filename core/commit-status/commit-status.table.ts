import type { ObjectId } from "../git/format/object-format.ts";
import { padded } from "../ids.ts";
import { repositoryPartition } from "../repository/repository.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/** The states that a check reports of a commit, worst first: the worst of several counts. */
export const statusStates = ["error", "failure", "warning", "pending", "success"] as const;
export type StatusState = (typeof statusStates)[number];

/** One report of a check on a commit; never changed once written. */
export interface CommitStatus extends Item {
  readonly commitId: ObjectId;
  /** Counts from 1 in each commit. */
  readonly index: number;
  readonly state: StatusState;
  /** Which check it is. */
  readonly context: string;
  readonly targetUrl: string;
  readonly description: string;
  readonly creatorId: number;
  /** Whole seconds. */
  readonly createdAt: number;
  readonly _v: 1;
}

/** A summary of all reports on a commit: where the numbering stands, and the newest report of each context. */
export interface StatusHead extends Item {
  readonly last: number;
  /** In the order of their indexes. It is a list because a context may have any name, even `__proto__`. */
  readonly newest: readonly NewestStatus[];
  readonly _v: 1;
}

/** The newest report of a context. */
export type NewestStatus = Pick<CommitStatus, "context" | "index" | "state">;

/** All reports of a repository lie in one partition, so that one pass over it removes them with the repository. */
export const statusPartition = (repositoryId: number): string => `${repositoryPartition(repositoryId)}#S`;
export const statusHeadKey = (repositoryId: number, commitId: ObjectId): TableKey => ({
  pk: statusPartition(repositoryId),
  sk: `${commitId}#`,
});
export const statusKey = (repositoryId: number, commitId: ObjectId, index: number): TableKey => ({
  pk: statusPartition(repositoryId),
  sk: `${commitId}#${padded(index)}`,
});
