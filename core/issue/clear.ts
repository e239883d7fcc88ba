import { attachmentLeavingWrites } from "../attachment/write.ts";
import { commentPlace, entryPrefix, entryRowKey, type TimelineEntry } from "../comment/comment.table.ts";
import { type DependencyRow, dependencyPrefix, mirrorKey } from "../dependency/dependency.table.ts";
import type { Forge } from "../forge.ts";
import type { JobKind } from "../jobs/job.ts";
import { send } from "../outbox.ts";
import {
  type Mention,
  mentionedRow,
  mentionPrefix,
  textReferencesPrefix,
} from "../reference/reference.table.ts";
import { forgetStopwatchesOfIssue } from "../stopwatch/stopwatch.ts";
import { equals } from "../table/condition.ts";
import { type Item, remove } from "../table/write.ts";
import { forgetTimesOfIssue } from "../tracked-time/forget.ts";
import { foldMessage } from "../word-index/word-index.ts";
import { changedWords } from "../word-index/write.ts";
import { goneIssueKey, type Issue, issueKey, issuePartition } from "./issue.table.ts";
import { dropReferences } from "./settle-references.ts";

/** The kind of the job that removes the content of a deleted issue. */
export const issueClearingKind = "clear-issue";

type IssueNumber = Pick<Issue, "repositoryId" | "number">;

const itemsPerStep = 100;

/**
 * How items of an issue are removed that have parts elsewhere (rows, words, objects), by the beginning of their sort
 * keys; items of other kinds have none. Each may be repeated, and answers whether the item is gone: one that changed
 * meanwhile is read anew.
 */
const removals: readonly (readonly [
  prefix: string,
  remove: (forge: Forge, item: Item, address: IssueNumber) => Promise<boolean>,
])[] = [
  [entryPrefix, removeEntry],
  [dependencyPrefix, removeDependencyRow],
  [textReferencesPrefix, removeReferences],
  [mentionPrefix, removeMention],
];

/** Removes some of the content of a deleted issue; true when nothing is left. May be repeated, after a crash too. */
export async function clearSome(forge: Forge, { repositoryId, number }: IssueNumber): Promise<boolean> {
  const { table } = forge;
  const { items, next } = await table.query<Item>({
    pk: issuePartition(repositoryId, number),
    limit: itemsPerStep,
  });
  if (items.some(({ sk }) => sk === issueKey(repositoryId, number).sk)) return true;
  // These have parts elsewhere, too; items read above are removed once more below.
  await forgetTimesOfIssue(forge, repositoryId, number);
  await forgetStopwatchesOfIssue(forge, repositoryId, number);
  const removalOf = ({ sk }: Item) => removals.find(([prefix]) => sk.startsWith(prefix))?.[1];
  let areGone = true;
  const address = { repositoryId, number };
  for (const item of items) areGone = ((await removalOf(item)?.(forge, item, address)) ?? true) && areGone;
  await table.removeAll(items.filter((item) => removalOf(item) === undefined));
  if (!areGone || next !== undefined) return false;
  await table.removeAll([goneIssueKey(repositoryId, number)]);
  await send(forge, [foldMessage(repositoryId)]);
  return true;
}

/** The job that follows the deletion of an issue. */
export const clearIssue: JobKind<IssueNumber, object> = {
  step: async (forge, address) => ((await clearSome(forge, address)) ? { done: true } : { cursor: {} }),
};

async function removeDependencyRow({ table }: Forge, item: Item, address: IssueNumber): Promise<boolean> {
  await table.removeAll([mirrorKey(address, item as DependencyRow), item]);
  return true;
}

async function removeReferences(forge: Forge, item: Item, address: IssueNumber): Promise<boolean> {
  await dropReferences(forge, { ...address, commentId: Number(item.sk.slice(textReferencesPrefix.length)) });
  return true;
}

async function removeMention({ table }: Forge, item: Item, address: IssueNumber): Promise<boolean> {
  await table.removeAll([mentionedRow((item as Mention).userId, address), item]);
  return true;
}

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
