import { emptySomeAttachments } from "../attachment/sweep.ts";
import { entryRowsPartition } from "../comment/comment.table.ts";
import { statusPartition } from "../commit-status/commit-status.table.ts";
import { type DependencyRow, dependencyPrefix, mirrorKey } from "../dependency/dependency.table.ts";
import { removeSomeDeployKeys } from "../deploy-key/deploy-key.ts";
import {
  activityKey,
  issueDirectoryPartition,
  repositoryDirectoryPartition,
} from "../directory/directory.table.ts";
import type { Forge } from "../forge.ts";
import { type RemovalCursor, removeRepositoryGit } from "../git/remove-repository.ts";
import { hookPrefix } from "../hook/hook.table.ts";
import { removeSomeHooks } from "../hook/remove-some.ts";
import { issueSequenceKey, lastIssueNumber } from "../ids.ts";
import { assignedRow, createdRow, type Issue, issueKey, issuePartition } from "../issue/issue.table.ts";
import { forgetMentionsIn } from "../issue/mentions.ts";
import { clearingUp, type PartStep, type Pass } from "../jobs/passes.ts";
import { isMark, type Mark, markMirrorKey, marksOfRepository } from "../mark/mark.table.ts";
import { endStars } from "../mark/star-count.ts";
import { keyPrefix } from "../public-key/public-key.table.ts";
import { forgetStopwatchesOfIssue } from "../stopwatch/stopwatch.ts";
import { keyText, type TableKey } from "../table/write.ts";
import { forgetTimesOfIssue } from "../tracked-time/forget.ts";
import { repositoryTimes } from "../tracked-time/tracked-time.table.ts";
import { postingsPartition } from "../word-index/word-index.table.ts";
import { emptyForks } from "./fork-changes.ts";
import { emptyNames, emptyRights } from "./internal/emptying-rights.ts";
import { type Repository, repositoryKey, repositoryPartition } from "./repository.table.ts";

/** Which repository, and when it was hidden in milliseconds. */
export interface EmptyingArguments {
  readonly repositoryId: number;
  readonly hiddenAt: number;
}

type EmptyingPass = EmptyingArguments & Pass;

const itemsPerQuery = 100;
/** Each is a transaction of its own. */
const starsPerStep = 50;
const issuesPerStep = 20;

async function emptyRightsPart(forge: Forge, { repositoryId }: EmptyingPass): Promise<PartStep> {
  const hadNames = await emptyNames(forge, repositoryId);
  const { hasFound, hasMore } = await emptyRights(forge, repositoryId);
  return hasMore ? { inner: 0, hasFound } : { hasFound: hasFound || hadNames };
}

async function emptyKeys(forge: Forge, { repositoryId }: EmptyingPass): Promise<PartStep> {
  const { hasFound, hasMore } = await removeSomeDeployKeys(forge, repositoryId);
  return hasMore ? { inner: 0, hasFound } : { hasFound };
}

/** Watches, with their mirrors at the users. */
async function emptyWatches({ table }: Forge, { repositoryId }: EmptyingPass): Promise<PartStep> {
  const limit = itemsPerQuery;
  const watches = await table.queryAll<Mark>({ ...marksOfRepository("watch", repositoryId), limit });
  await table.removeAll(watches.map(({ userId }) => markMirrorKey("watch", userId, repositoryId)));
  await table.removeAll(watches);
  const hasFound = watches.length > 0;
  return watches.length === limit ? { inner: 0, hasFound } : { hasFound };
}

/** Stars, with their mirrors at the users, who count them. */
async function emptyStars(forge: Forge, { repositoryId }: EmptyingPass): Promise<PartStep> {
  const found = await endStars(forge, repositoryId, starsPerStep);
  return found === starsPerStep ? { inner: 0, hasFound: true } : { hasFound: found > 0 };
}

async function emptyForksPart(forge: Forge, { repositoryId }: EmptyingPass): Promise<PartStep> {
  const { hasFound, hasMore } = await emptyForks(forge, repositoryId);
  return hasMore ? { inner: 0, hasFound } : { hasFound };
}

async function emptyAttachments(forge: Forge, { repositoryId }: EmptyingPass): Promise<PartStep> {
  const { hasFound, hasMore } = await emptySomeAttachments(forge, repositoryId);
  return hasMore ? { inner: 0, hasFound } : { hasFound };
}

async function emptyGit(
  forge: Forge,
  { repositoryId }: EmptyingPass,
  inner: number | string | undefined,
): Promise<PartStep> {
  const { next, hasFound } = await removeRepositoryGit(
    forge,
    repositoryId,
    inner as RemovalCursor | undefined,
  );
  return next === undefined ? { hasFound } : { inner: next, hasFound };
}

/** The git data of the wiki, which the repository's item names until the end. */
async function emptyWiki(
  forge: Forge,
  { repositoryId }: EmptyingPass,
  inner: number | string | undefined,
): Promise<PartStep> {
  const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
  if (repository?.wikiId === undefined) return { hasFound: false };
  const cursor = inner as RemovalCursor | undefined;
  const { next, hasFound } = await removeRepositoryGit(forge, repository.wikiId, cursor);
  return next === undefined ? { hasFound } : { inner: next, hasFound };
}

async function emptyIssues(
  forge: Forge,
  { repositoryId }: EmptyingPass,
  inner: number | string | undefined,
): Promise<PartStep> {
  const first = Number(inner ?? 1);
  const last = Math.min(await lastIssueNumber(forge.table, repositoryId), first + issuesPerStep - 1);
  const numbers = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
  const emptied = await Promise.all(
    numbers.map(async (number) => {
      await removeRowsElsewhere(forge, repositoryId, number);
      await forgetTimesOfIssue(forge, repositoryId, number);
      await forgetStopwatchesOfIssue(forge, repositoryId, number);
      return emptyPage(forge, issuePartition(repositoryId, number));
    }),
  );
  const unfinished = emptied.findIndex((page) => page.hasMore);
  const hasFound = emptied.some((page) => page.hasFound);
  if (unfinished >= 0) return { inner: first + unfinished, hasFound };
  return numbers.length < issuesPerStep ? { hasFound } : { inner: last + 1, hasFound };
}

/**
 * The rows of an issue at its dependents, and in the partitions of users: before the issue, which names the users, is
 * removed.
 */
async function removeRowsElsewhere(forge: Forge, repositoryId: number, number: number): Promise<void> {
  const pk = issuePartition(repositoryId, number);
  const dependencies = await forge.table.queryAll<DependencyRow>({ pk, prefix: dependencyPrefix });
  await forge.table.removeAll(dependencies.map((row) => mirrorKey({ repositoryId, number }, row)));
  const issue = await forge.table.get<Issue>(issueKey(repositoryId, number));
  if (issue !== undefined) {
    const assigned = issue.assigneeIds.map((userId) => assignedRow(issue, userId));
    await forge.table.removeAll([createdRow(issue), ...assigned]);
  }
  await forgetMentionsIn(forge, { repositoryId, number });
}

/** The items beside the repository's own partition. */
async function emptySides(
  forge: Forge,
  { repositoryId }: EmptyingPass,
  inner: number | string | undefined,
): Promise<PartStep> {
  // Postings last: once no words wait any more, none is posted.
  const partitions = [
    entryRowsPartition(repositoryId),
    statusPartition(repositoryId),
    repositoryTimes(repositoryId),
    issueDirectoryPartition(repositoryId),
    postingsPartition(repositoryId),
  ];
  const at = Number(inner ?? 0);
  const partition = partitions[at];
  if (partition === undefined) return { hasFound: false };
  const { hasFound, hasMore } = await emptyPage(forge, partition);
  return { inner: hasMore ? at : at + 1, hasFound };
}

/** Hooks must hear of the deletion first: they are removed late, with the records of their deliveries. */
async function emptyHooks(forge: Forge, { repositoryId, isLate }: EmptyingPass): Promise<PartStep> {
  if (!isLate) return { hasFound: false };
  const { hasFound, hasMore } = await removeSomeHooks(forge, { kind: "repository", id: repositoryId });
  return hasMore ? { inner: 0, hasFound } : { hasFound };
}

async function emptyMain(
  forge: Forge,
  { repositoryId }: EmptyingPass,
  inner: number | string | undefined,
): Promise<PartStep> {
  const isKept = ({ pk, sk }: TableKey) =>
    keyText({ pk, sk }) === keyText(repositoryKey(repositoryId)) ||
    sk.startsWith(keyPrefix) || // counted elsewhere: a part of its own removes them
    isMark({ pk, sk }) || // at their users', too: likewise
    sk.startsWith(hookPrefix); // likewise
  const { hasFound, next } = await emptyPage(
    forge,
    repositoryPartition(repositoryId),
    isKept,
    inner === undefined ? undefined : String(inner),
  );
  return next === undefined ? { hasFound } : { inner: next, hasFound };
}

/** Removes one query's worth of a partition. */
async function emptyPage(
  forge: Forge,
  pk: string,
  isKept: (key: TableKey) => boolean = () => false,
  after?: string,
): Promise<{ hasFound: boolean; hasMore: boolean; next?: string }> {
  const page = await forge.table.query({
    pk,
    limit: itemsPerQuery,
    ...(after === undefined ? {} : { after }),
  });
  const keys = page.items.filter((item) => !isKept(item));
  await forge.table.removeAll(keys);
  const next = page.next === undefined ? {} : { next: page.next };
  return { hasFound: keys.length > 0, hasMore: page.next !== undefined, ...next };
}

/**
 * Removes everything of a repository that `removeRepository` has hidden. Hooks and the repository's item stay until the
 * end: the deletion has to be told to hooks, and tells of the repository.
 */
export const emptyRepository = clearingUp<EmptyingArguments>({
  parts: [
    emptyRightsPart,
    emptyWatches,
    emptyStars,
    emptyForksPart,
    emptyKeys,
    emptyAttachments,
    emptyGit,
    emptyWiki,
    emptyIssues,
    emptySides,
    emptyHooks,
    emptyMain,
  ],
  since: (args) => args.hiddenAt,
  finish: ({ table }, { repositoryId }) =>
    table.removeAll([
      issueSequenceKey(repositoryId),
      activityKey(repositoryDirectoryPartition, repositoryId),
      repositoryKey(repositoryId),
    ]),
});
