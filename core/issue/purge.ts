import { accessMode, unitNames } from "../access/modes.ts";
import type { RepositoryAccess } from "../access/repository-access.ts";
import { nowSeconds } from "../clock.ts";
import {
  textPlace as entryPlace,
  entryPrefix,
  entryRowKey,
  type TimelineEntry,
} from "../comment/comment.table.ts";
import { isForgeError } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { equals, exists, type Item, remove } from "../table.ts";
import { changedWords } from "../word-index/word-index.ts";
import { assigneeWrites } from "./assignees.ts";
import { change, commit, get } from "./change.ts";
import { type Issue, issueKey, issuePartition, textPlace } from "./issue.table.ts";
import { milestoneWrites } from "./milestones.ts";

/** A repository as a job works on it: nobody's rights are asked. Undefined when it is gone, or about to be. */
export async function findForJob(
  { table }: Forge,
  repositoryId: number,
): Promise<Pick<RepositoryAccess, "repository" | "rights"> | undefined> {
  const repository = await table.get<Repository>(repositoryKey(repositoryId));
  if (repository?.state !== "live") return undefined;
  return { repository, rights: { base: accessMode.owner, enabledUnits: new Set(unitNames) } };
}

/**
 * Removes an issue or pull with all that lies in it, for the purge of its author (B-14): gone for everybody with one
 * transaction, then item by item. May be repeated, also after a crash.
 */
export async function purge(forge: Forge, repositoryId: number, number: number): Promise<void> {
  const access = await findForJob(forge, repositoryId);
  if (access === undefined) return;
  try {
    await commit(forge, access, async () => {
      const issue = await get(forge, access, number);
      const words = { before: [issue.title, issue.body], after: [], v: issue.v + 1 };
      const writes = [
        ...(await changedWords(forge, textPlace(issue), words)),
        ...(await milestoneWrites(forge, issue, undefined, nowSeconds(forge.clock))),
        ...assigneeWrites(issue, { ...issue, assigneeIds: [] }),
      ];
      const gone = { ...issue, v: issue.v + 1 };
      return {
        change: { issue: gone, isRemoved: true, entries: [], events: [], counts: countsOf(issue), writes },
        issueWrite: remove(issueKey(repositoryId, number), equals({ v: issue.v })),
      };
    });
  } catch (error) {
    if (!isForgeError(error, "not-found")) throw error;
  }
  await removeTimeline(forge, repositoryId, number);
}

/** Takes a user who was deleted off an issue or pull that he was assigned to. */
export async function unassign(
  forge: Forge,
  { repositoryId, number }: Pick<Issue, "repositoryId" | "number">,
  userId: number,
): Promise<void> {
  const access = await findForJob(forge, repositoryId);
  if (access === undefined) return;
  try {
    await change(forge, access, number, async (issue) => {
      if (!issue.assigneeIds.includes(userId)) return undefined;
      const after = { ...issue, assigneeIds: issue.assigneeIds.filter((id) => id !== userId) };
      return { issue: after, entries: [], events: [], writes: assigneeWrites(issue, after) };
    });
  } catch (error) {
    if (!isForgeError(error, "not-found")) throw error;
  }
}

/** What the repository counts no more; comments of pulls are counted nowhere. */
function countsOf({ kind, isClosed, comments }: Issue) {
  if (kind === "pull") return isClosed ? { closedPulls: -1 } : { openPulls: -1 };
  return { issueComments: -comments, ...(isClosed ? { closedIssues: -1 } : { openIssues: -1 }) };
}

async function removeTimeline(forge: Forge, repositoryId: number, number: number): Promise<void> {
  const { table } = forge;
  const items = await table.queryAll<Item>({ pk: issuePartition(repositoryId, number) });
  for (const item of items) {
    if (!item.sk.startsWith(entryPrefix)) continue;
    const entry = item as TimelineEntry;
    const words = { before: [entry.body], after: [], v: entry.v + 1 };
    const isComment = entry.type === "comment";
    await table.transact([
      remove(entry, exists),
      remove(entryRowKey(repositoryId, entry.id)),
      ...(isComment ? await changedWords(forge, entryPlace(entry), words) : []),
    ]);
  }
  await table.removeAll(items);
}
