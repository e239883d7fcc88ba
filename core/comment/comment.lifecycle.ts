import { attachmentLeavingWrites } from "../attachment/write.ts";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import type { PartCursor, PartStep } from "../jobs/passes.ts";
import type { EndedUser, Lifecycle } from "../lifecycle/lifecycle.ts";
import { partitionBeside } from "../lifecycle/remove-page.ts";
import { userPartition } from "../owner/owner.table.ts";
import { equals } from "../table/condition.ts";
import { type Item, remove } from "../table/write.ts";
import { compactionMessage } from "../word-index/word-index.ts";
import { changedWords } from "../word-index/write.ts";
import { clearComment, commentClearingKind } from "./clear.ts";
import { commentChecks } from "./comment.check.ts";
import {
  commentPlace,
  entryPrefix,
  entryRowKey,
  entryRowsPartition,
  type TimelineEntry,
} from "./comment.table.ts";
import { purgeComment } from "./internal/purge.ts";

/** The index that finds comments lags: a later pass finds those that this one misses. */
async function purgeComments(
  forge: Forge,
  { userId, purges }: EndedUser,
  inner: PartCursor | undefined,
): Promise<PartStep> {
  if (!purges) return { hasFound: false, hasMore: false };
  const after = inner === undefined ? undefined : JSON.parse(String(inner));
  const { keys, next } = await forge.table.queryActor(userPartition(userId), after);
  const found = await forge.table.getAll<TimelineEntry>(keys.filter(({ sk }) => sk.startsWith(entryPrefix)));
  const written = [...found.values()].filter((one) => one.type === "comment" && one.authorId === userId);
  for (const comment of written) await purgeComment(forge, comment);
  const repositoryIds = new Set(written.map(({ repositoryId }) => repositoryId));
  await send(
    forge,
    [...repositoryIds].map((id) => compactionMessage(id)),
  );
  return { hasFound: written.length > 0, hasMore: next !== undefined, inner: next && JSON.stringify(next) };
}

/** An entry with its row; a comment with its words and attachments, too. */
async function removeEntry(forge: Forge, item: Item): Promise<boolean> {
  const entry = item as TimelineEntry;
  const words = { before: [entry.body], after: [], v: entry.v + 1 };
  const isComment = entry.type === "comment";
  const outcome = await forge.table.transact([
    remove(entry, equals({ v: entry.v })),
    remove(entryRowKey(entry.repositoryId, entry.id)),
    ...(isComment ? await changedWords(forge, commentPlace(entry), words) : []),
    ...attachmentLeavingWrites(forge, entry.repositoryId, entry.attachmentIds),
  ]);
  return outcome.committed;
}

/** Comments, and all other entries of timelines. */
export const commentLifecycle: Lifecycle = {
  noun: "comment",
  items: [
    { at: "I#<repository>.<number> / C#<comment>", counter: "comment" },
    { at: "R#<repository>#C / <comment>" },
  ],
  ends: {
    repository: { rows: partitionBeside(entryRowsPartition) },
    user: { comments: { stage: "comments", step: purgeComments } },
    issue: { removals: { [entryPrefix]: removeEntry } },
  },
  jobs: { [commentClearingKind]: clearComment },
  checks: commentChecks,
};
