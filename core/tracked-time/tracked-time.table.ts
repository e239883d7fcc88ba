import { padded, paddedTime } from "../ids.ts";
import { type IssueKind, issuePartition } from "../issue/issue.table.ts";
import { userPartition } from "../owner/owner.table.ts";
import { repositoryPartition } from "../repository/repository.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/** Time that a user spent on an issue or pull. It lies at the issue, and among those of the repository and of the user. */
export interface TrackedTime extends Item {
  /** Unique in the instance. */
  readonly id: number;
  readonly repositoryId: number;
  readonly issueNumber: number;
  readonly issueKind: IssueKind;
  readonly userId: number;
  /** Negative ones correct a booking that was too much. */
  readonly seconds: number;
  /** When it was spent, whole seconds. */
  readonly createdAt: number;
  readonly _v: 1;
}

/** The times of an issue; their sort keys begin with this. */
export const timePrefix = "TT#";
export const timeKey = (repositoryId: number, issueNumber: number, id: number): TableKey => ({
  pk: issuePartition(repositoryId, issueNumber),
  sk: `${timePrefix}${padded(id)}`,
});
/** The places of a repository's times, and a user's, in the order in which they were spent. */
export const repositoryTimes = (repositoryId: number): string => `${repositoryPartition(repositoryId)}#W`;
export const userTimes = (userId: number): string => `${userPartition(userId)}#W`;

/** Sort keys of the two lists: the times of a range of seconds lie from this key up to the other. */
export const firstOfSecond = (seconds: number): string => paddedTime(seconds * 1000);
export const lastOfSecond = (seconds: number): string => `${firstOfSecond(seconds)}#~`;

/** The keys of a time beside its issue. */
export function rowKeys({
  id,
  repositoryId,
  userId,
  createdAt,
}: Pick<TrackedTime, "id" | "repositoryId" | "userId" | "createdAt">): TableKey[] {
  const sk = `${firstOfSecond(createdAt)}#${padded(id)}`;
  return [
    { pk: repositoryTimes(repositoryId), sk },
    { pk: userTimes(userId), sk },
  ];
}
