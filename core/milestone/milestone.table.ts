import { padded } from "../ids.ts";
import { repositoryPartition } from "../repository/repository.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/** A milestone of a repository. Times are whole seconds; 0 stands for "never" and "none". */
export interface Milestone extends Item {
  /** Unique in the instance. */
  readonly id: number;
  readonly repositoryId: number;
  readonly title: string;
  readonly description: string;
  readonly isClosed: boolean;
  readonly dueAt: number;
  /** Issues and pulls; these two and `updatedAt` change with issues, without a new `v`. */
  readonly openIssues: number;
  readonly closedIssues: number;
  /** How often the two were changed: the condition for writing a fresh count. Absent: never. */
  readonly countChanges?: number;
  readonly createdAt: number;
  /** The greatest of the dates of changes (B-03). */
  readonly updatedAt: number;
  readonly closedAt: number;
  /** Edit version: the condition of the next edit. */
  readonly v: number;
  readonly _v: 1;
}

/** Sort keys of milestones begin with this. */
export const milestonePrefix = "MS#";

export const milestoneKey = (repositoryId: number, id: number): TableKey => ({
  pk: repositoryPartition(repositoryId),
  sk: `${milestonePrefix}${padded(id)}`,
});
/** All milestones of a repository, by id. */
export const milestonesOf = (repositoryId: number) => ({
  pk: repositoryPartition(repositoryId),
  prefix: milestonePrefix,
});
