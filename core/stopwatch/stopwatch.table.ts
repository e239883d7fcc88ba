import { issuePartition } from "../issue/issue.table.ts";
import { userPartition } from "../owner/owner.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/** A user's running stopwatch: they have at most one. */
export interface Stopwatch extends Item {
  readonly userId: number;
  readonly repositoryId: number;
  readonly issueNumber: number;
  /** Whole seconds. */
  readonly startedAt: number;
  readonly _v: 1;
}

/** At the issue: the user whose stopwatch runs on it. */
export interface StopwatchMirror extends Item {
  readonly userId: number;
  readonly _v: 1;
}

const stopwatchSortKey = "STOPWATCH";
export const stopwatchKey = (userId: number): TableKey => ({
  pk: userPartition(userId),
  sk: stopwatchSortKey,
});
/** Those that run on an issue; their sort keys begin with this. */
export const mirrorPrefix = "SW#";
export const stopwatchMirrorKey = (
  { repositoryId, issueNumber }: Pick<Stopwatch, "repositoryId" | "issueNumber">,
  userId: number,
): TableKey => ({ pk: issuePartition(repositoryId, issueNumber), sk: `${mirrorPrefix}${userId}` });
