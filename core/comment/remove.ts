import { leaveWrites } from "../attachment/attachment.ts";
import { nowSeconds } from "../clock.ts";
import type { Forge } from "../forge.ts";
import type { Issue } from "../issue/issue.table.ts";
import * as issues from "../issue/issue.ts";
import { equals, keyText, remove } from "../table.ts";
import { changedWords } from "../word-index/word-index.ts";
import { clearingWrites } from "./clear.ts";
import { type EntryRow, entryKey, entryRowKey, type TimelineEntry, textPlace } from "./comment.table.ts";

/** The issue after it loses a comment, without an event; undefined when the comment is gone already. */
export async function planRemoval(
  forge: Forge,
  issue: Issue,
  id: number,
): Promise<(issues.IssueChange & { readonly removed: TimelineEntry }) | undefined> {
  const { repositoryId, number } = issue;
  const key = entryKey(repositoryId, number, id);
  const rowKey = entryRowKey(repositoryId, id);
  const found = await forge.table.getAll([key, rowKey]);
  const removed = found.get(keyText(key)) as TimelineEntry | undefined;
  const row = found.get(keyText(rowKey)) as EntryRow | undefined;
  if (removed === undefined) return undefined;
  const words = { before: [removed.body], after: [], v: removed.v + 1 };
  return {
    removed,
    issue: { ...issue, comments: issue.comments - 1 },
    entries: [],
    events: [],
    counts: issues.commentCounts(issue, -1),
    writes: [
      remove(key, equals({ v: removed.v })),
      remove(rowKey, equals({ hasReactions: row?.hasReactions })),
      ...(await clearingWrites(forge, removed)),
      ...(await changedWords(forge, textPlace(removed), words)),
      ...leaveWrites(forge, repositoryId, removed.attachmentIds),
    ],
    followUp: issues.followText(
      forge,
      { repositoryId, number, commentId: id },
      { before: issues.textOf(removed), after: "" },
      { at: nowSeconds(forge.clock), isDated: false },
    ),
  };
}
