import { attachmentLeavingWrites } from "../../attachment/write.ts";
import { nowSeconds } from "../../clock.ts";
import type { Forge } from "../../forge.ts";
import type { IssueChange } from "../../issue/change/change.ts";
import type { Issue } from "../../issue/issue.table.ts";
import { commentCounts } from "../../issue/listing/counts.ts";
import { followText } from "../../issue/references/settle-references.ts";
import { writtenTextOf } from "../../issue/references/written-text.ts";
import { equals } from "../../table/condition.ts";
import { keyText, remove } from "../../table/write.ts";
import { changedWords } from "../../word-index/write.ts";
import { clearingWrites } from "../clear.ts";
import { commentPlace, type EntryRow, entryKey, entryRowKey, type TimelineEntry } from "../comment.table.ts";

/** The issue after it loses a comment, without an event; undefined when the comment is gone already. */
export async function planRemoval(
  forge: Forge,
  issue: Issue,
  id: number,
): Promise<(IssueChange & { readonly removed: TimelineEntry }) | undefined> {
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
    counts: commentCounts(issue, -1),
    writes: [
      remove(key, equals({ v: removed.v })),
      remove(rowKey, equals({ hasReactions: row?.hasReactions })),
      ...(await clearingWrites(forge, removed)),
      ...(await changedWords(forge, commentPlace(removed), words)),
      ...attachmentLeavingWrites(forge, repositoryId, removed.attachmentIds),
    ],
    followUp: followText(
      forge,
      { repositoryId, number, commentId: id },
      { before: writtenTextOf(removed), after: "" },
      { at: nowSeconds(forge.clock), isDated: false },
    ),
  };
}
