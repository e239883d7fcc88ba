import type { RepositoryAccess } from "../access/repository-access.ts";
import { rightsOfAll } from "../access/rights-of-all.ts";
import type { Actor } from "../actor.ts";
import { entryPrefix, firstEntries, type TimelineEntry } from "../comment/comment.table.ts";
import { forbidden, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { mentionKey } from "../reference/reference.table.ts";
import { exists } from "../table/condition.ts";
import { queryPages } from "../table/query-pages.ts";
import { check, put } from "../table/write.ts";
import { findUsersById, getUserByName } from "../user/find.ts";
import { isWatched } from "../watch/watch.ts";
import { getIssue } from "./change/change.ts";
import {
  authorKeys,
  type Issue,
  issueKey,
  issuePartition,
  type Subscription,
  subscriptionKey,
  subscriptionsOf,
} from "./issue.table.ts";
import { isIssueReadable } from "./rights.ts";

/**
 * Ids of the users who chose to hear of an issue and may read it now: users who lost that right are left out until they
 * have it back. NotFound as for the issue.
 */
export async function listIssueSubscribers(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
): Promise<number[]> {
  const [{ kind }, rows] = await Promise.all([
    getIssue(forge, access, number),
    forge.table.queryAll<Subscription>(subscriptionsOf(access.repository.id, number)),
  ]);
  const ids = rows.filter(({ isSubscribed }) => isSubscribed).map(({ userId }) => userId);
  const found = await findUsersById(forge, ids);
  const rights = await rightsOfAll(forge, access.repository, [...found.values()]);
  return ids.filter((id) => {
    const theirs = rights.get(id);
    return found.get(id)?.isActive === true && theirs !== undefined && isIssueReadable(theirs, kind);
  });
}

/**
 * Whether a user hears of an issue: as they chose, else if they watch the repository or take part (semantics §49.2).
 */
export async function findSubscription(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  userId: number,
): Promise<{ readonly issue: Issue; readonly isSubscribed: boolean }> {
  const issue = await getIssue(forge, access, number);
  return { issue, isSubscribed: await isSubscribed(forge, issue, userId) };
}

/**
 * Lets a user hear of an issue, or not; answers whether that changes anything. Users choose for themselves, site
 * administrators for everybody: Forbidden for others. NotFound when there is no such issue or user.
 */
export async function subscribeToIssue(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  name: string,
  choice: { readonly isSubscribed: boolean; readonly actor: Actor },
): Promise<boolean> {
  const issue = await getIssue(forge, access, number);
  const { actor } = choice;
  const { id: userId } = await getUserByName(forge, actor, name);
  if (userId !== actor.user.id && !actor.user.isAdmin) {
    throw forbidden("users subscribe themselves: only site administrators may do it for others");
  }
  if ((await isSubscribed(forge, issue, userId)) === choice.isSubscribed) return false;
  const key = subscriptionKey(issue.repositoryId, number, userId);
  const row: Subscription = {
    ...key,
    ...authorKeys(userId, "subscription", key),
    userId,
    isSubscribed: choice.isSubscribed,
    _v: 1,
  };
  const isThere = check(issueKey(issue.repositoryId, number), exists);
  const { committed } = await forge.table.transact([put(row), isThere]);
  if (!committed) throw notFound(`issue does not exist [index: ${number}]`);
  return true;
}

async function isSubscribed(forge: Forge, issue: Issue, userId: number): Promise<boolean> {
  const key = subscriptionKey(issue.repositoryId, issue.number, userId);
  const chosen = await forge.table.get<Subscription>(key);
  if (chosen !== undefined) return chosen.isSubscribed;
  return (await isWatched(forge, issue.repositoryId, userId)) || takesPart(forge, issue, userId);
}

/** Its author, its assignees, mentioned users and commenters take part in an issue. */
async function takesPart(
  { table }: Forge,
  { repositoryId, number, authorId, assigneeIds }: Issue,
  userId: number,
): Promise<boolean> {
  if (authorId === userId || assigneeIds.includes(userId)) return true;
  if ((await table.get(mentionKey(repositoryId, number, userId))) !== undefined) return true;
  const entries = { pk: issuePartition(repositoryId, number), prefix: entryPrefix };
  for await (const page of queryPages<TimelineEntry>(table, entries, firstEntries)) {
    if (page.some((entry) => entry.type === "comment" && entry.authorId === userId)) return true;
  }
  return false;
}
