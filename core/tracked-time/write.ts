import { durationText } from "../duration.ts";
import type { EntryContent } from "../issue/change/timeline.ts";
import type { Issue } from "../issue/issue.table.ts";
import { absent, exists } from "../table/condition.ts";
import { put, remove, type Write } from "../table/write.ts";
import { rowKeys, type TrackedTime, timeKey } from "./tracked-time.table.ts";

/** A time on an issue. */
export const timeOn = (
  { repositoryId, number, kind }: Issue,
  spent: Pick<TrackedTime, "id" | "userId" | "seconds" | "createdAt">,
): TrackedTime => ({
  ...timeKey(repositoryId, number, spent.id),
  ...spent,
  repositoryId,
  issueNumber: number,
  issueKind: kind,
  _v: 1,
});

/** The writes that keep a new time, for the transaction that reports it. */
export const timeAdditionWrites = (time: TrackedTime): Write[] => [
  put(time, absent),
  ...rowKeys(time).map((key) => put({ ...time, ...key })),
];

/** The writes that remove one, on the condition that it exists. */
export const removalWrites = (time: TrackedTime): Write[] => [
  remove(timeKey(time.repositoryId, time.issueNumber, time.id), exists),
  ...rowKeys(time).map((key) => remove(key)),
];

/** The timeline entry about a time. */
export const timeEntry = (
  type: "add_time_manual" | "delete_time_manual" | "stop_tracking",
  { id, userId, seconds, createdAt }: TrackedTime,
): EntryContent => ({ type, body: durationText(seconds), time: { id, userId, seconds, createdAt } });
