import { padded } from "../ids.ts";
import { issuePartition } from "../issue/issue.table.ts";
import type { IssueAddress } from "../issue/issue.ts";
import type { Item, TableKey } from "../table.ts";

/** That an issue waits for another one (`on`), or another one for it (`by`): each end has a row that names the other. */
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

/** What an issue waits for (`on`), or what waits for it (`by`). */
export const dependenciesOf = ({ repositoryId, number }: IssueAddress, side: Side) => ({
  pk: issuePartition(repositoryId, number),
  prefix: prefixOf(side),
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

/** The key of the row at the other end of one that lies at the issue `of`. */
export function mirrorKey(of: IssueAddress, row: DependencyRow): TableKey {
  const side: Side = row.sk.startsWith(prefixOf("on")) ? "on" : "by";
  return keyOf(row, otherSide[side], of);
}
