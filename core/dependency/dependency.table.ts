import { padded } from "../ids.ts";
import { issuePartition } from "../issue/issue.table.ts";
import type { IssueAddress } from "../issue/placed-issues.ts";
import { repositoryPartition } from "../repository/repository.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/**
 * One end of a dependency: an issue waits for another (`on`), or another waits for it (`by`). Each end has a row that
 * names the other.
 */
export interface DependencyRow extends Item {
  readonly repositoryId: number;
  readonly number: number;
  readonly _v: 1;
}

type Side = "on" | "by";

/** Sort keys of both kinds of rows begin with this. */
export const dependencyPrefix = "DEP#";
const prefixOf = (side: Side): string => `${dependencyPrefix}${side}#`;
const otherSide: Readonly<Record<Side, Side>> = { on: "by", by: "on" };

/** The issues that an issue waits for (`on`), or those that wait for it (`by`). */
export const dependenciesOf = ({ repositoryId, number }: IssueAddress, side: Side) => ({
  pk: issuePartition(repositoryId, number),
  prefix: prefixOf(side),
});

/** The issues of one repository that wait for an issue. */
export const blockedIn = (issue: IssueAddress, repositoryId: number) => {
  const { pk, prefix } = dependenciesOf(issue, "by");
  return { pk, prefix: `${prefix}${padded(repositoryId)}.` };
};

/** Whether two addresses are of the same issue. */
export const isSameIssue = (one: IssueAddress, other: IssueAddress): boolean =>
  one.repositoryId === other.repositoryId && one.number === other.number;

/** Rises with every dependency that is added to an issue of a repository: the search through it is then outdated. */
export interface DependencyEpoch extends Item {
  readonly v: number;
  readonly _v: 1;
}

export const dependencyEpochKey = (repositoryId: number): TableKey => ({
  pk: repositoryPartition(repositoryId),
  sk: "DEPS",
});

const keyOf = (of: IssueAddress, side: Side, other: IssueAddress): TableKey => ({
  pk: issuePartition(of.repositoryId, of.number),
  sk: `${prefixOf(side)}${padded(other.repositoryId)}.${padded(other.number)}`,
});

/** The row that says that an issue waits for another. */
export const dependencyRow = (dependent: IssueAddress, on: IssueAddress): DependencyRow =>
  rowOf(dependent, "on", on);

/** The row at the other end. */
export const blockingRow = (on: IssueAddress, dependent: IssueAddress): DependencyRow =>
  rowOf(on, "by", dependent);

const rowOf = (of: IssueAddress, side: Side, { repositoryId, number }: IssueAddress): DependencyRow => ({
  ...keyOf(of, side, { repositoryId, number }),
  repositoryId,
  number,
  _v: 1,
});

/** The key of the row at the other end of a row at the issue `of`. */
export function dependencyMirrorKey(of: IssueAddress, row: DependencyRow): TableKey {
  const side: Side = row.sk.startsWith(prefixOf("on")) ? "on" : "by";
  return keyOf(row, otherSide[side], of);
}
