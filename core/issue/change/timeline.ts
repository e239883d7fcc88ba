import { type NewEntry, newEntry, type TimelineEntry } from "../../comment/comment.table.ts";
import type { Forge } from "../../forge.ts";
import { nextIds } from "../../ids.ts";
import type { Issue } from "../issue.table.ts";

/** The ids of a change's timeline entries, so many of them: the same when the change is planned again. */
export type EntryIds = (count: number) => Promise<readonly number[]>;

/**
 * Draws ids of timeline entries when they are asked for, in one request and in order, because entries lie by their ids.
 */
export function entryIds(forge: Forge): EntryIds {
  const drawn: number[] = [];
  return async (count) => {
    const lacking = count - drawn.length;
    if (lacking > 0) drawn.push(...(await nextIds(forge.table, "comment", lacking)));
    return drawn.slice(0, count);
  };
}

/** The entry in a timeline about one change. */
export type EntryContent = Omit<NewEntry, "id" | "authorId" | "createdAt">;

/** Entries of an issue's timeline, in order. */
export async function entriesFrom(
  issue: Issue,
  contents: readonly EntryContent[],
  { authorId, at, entryIds }: { readonly authorId: number; readonly at: number; readonly entryIds: EntryIds },
): Promise<TimelineEntry[]> {
  const ids = await entryIds(contents.length);
  return contents.map((one, place) =>
    newEntry(issue, { id: ids[place] as number, authorId, createdAt: at, ...one }),
  );
}

/** The timeline entries for the difference between an issue before and after; a new body gets none. */
export function entriesOfChange(
  before: Issue,
  after: Issue,
  labelOrder: readonly number[] = [],
): EntryContent[] {
  const contents: EntryContent[] = [];
  if (before.title !== after.title) {
    contents.push({ type: "change_title", oldTitle: before.title, newTitle: after.title });
  }
  if (before.ref !== after.ref) {
    contents.push({ type: "change_issue_ref", oldRef: before.ref, newRef: after.ref });
  }
  contents.push(...labelContents(before, after, labelOrder));
  if (before.milestoneId !== after.milestoneId) {
    const { milestoneId } = after;
    contents.push({ type: "milestone", oldMilestoneId: before.milestoneId, milestoneId });
  }
  for (const assigneeId of onlyInFirst(before.assigneeIds, after.assigneeIds)) {
    contents.push({ type: "assignees", assigneeId, isRemoval: true });
  }
  for (const assigneeId of onlyInFirst(after.assigneeIds, before.assigneeIds)) {
    contents.push({ type: "assignees", assigneeId });
  }
  if (before.dueAt !== after.dueAt) contents.push(deadlineTold(before.dueAt, after.dueAt));
  if (before.pull?.base !== after.pull?.base) {
    contents.push({
      type: "change_target_branch",
      oldRef: before.pull?.base ?? "",
      newRef: after.pull?.base ?? "",
    });
  }
  if (before.isClosed !== after.isClosed) contents.push({ type: stateEntry(after) });
  return contents;
}

const stateEntry = ({ isClosed, pull }: Issue): EntryContent["type"] =>
  pull?.merge !== undefined ? "merge_pull" : isClosed ? "close" : "reopen";

/** The ids of the first list that the second one lacks. */
export const onlyInFirst = (ids: readonly number[], others: readonly number[]): number[] =>
  ids.filter((id) => !others.includes(id));

/** Removals first; labels that are not in the order don't exist any more, and get no entry. */
function labelContents(before: Issue, after: Issue, order: readonly number[]): EntryContent[] {
  const removed = onlyInFirst(before.labelIds, after.labelIds);
  const added = onlyInFirst(after.labelIds, before.labelIds);
  return [
    ...order
      .filter((id) => removed.includes(id))
      .map((labelId): EntryContent => ({ type: "label", labelId, body: "" })),
    ...order
      .filter((id) => added.includes(id))
      .map((labelId): EntryContent => ({ type: "label", labelId, body: "1" })),
  ];
}

function deadlineTold(before: number, after: number): EntryContent {
  const day = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10);
  if (before === 0) return { type: "added_deadline", body: day(after) };
  if (after === 0) return { type: "removed_deadline", body: day(before) };
  return { type: "modified_deadline", body: `${day(after)}|${day(before)}` };
}
