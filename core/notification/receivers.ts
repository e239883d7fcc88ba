import { accessMode, hasAccess, modeOf } from "../access/modes.ts";
import { isRecipient } from "../access/repository-access.ts";
import { rightsOfAll } from "../access/rights-of-all.ts";
import { findBlockers } from "../block/block.ts";
import type { Forge } from "../forge.ts";
import { type Issue, issueKey, type Subscription, subscriptionKey } from "../issue/issue.table.ts";
import { isIssueReadable } from "../issue/rights.ts";
import { ownerKey } from "../owner/owner.table.ts";
import type { Owner } from "../owner/owner.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { keyText } from "../table/write.ts";
import type { User } from "../user/user.table.ts";
import type { News } from "./news.ts";

/** What news are about, as it is now. */
export interface Subject {
  readonly repository: Repository;
  /** Absent: the repository itself, or a release of it. */
  readonly issue?: Issue;
}

/** What news are about, unless it is gone. */
export async function findSubject(
  { table }: Forge,
  { repositoryId, number }: Pick<News, "repositoryId" | "number">,
): Promise<Subject | undefined> {
  const keys = [
    repositoryKey(repositoryId),
    ...(number === undefined ? [] : [issueKey(repositoryId, number)]),
  ];
  const found = await table.getAll(keys);
  const repository = found.get(keyText(repositoryKey(repositoryId))) as Repository | undefined;
  if (repository?.state !== "live") return undefined;
  if (number === undefined) return { repository };
  const issue = found.get(keyText(issueKey(repositoryId, number))) as Issue | undefined;
  return issue && { repository, issue };
}

/**
 * Those of these users who may hear of the news now, in their order. Left out are who may not read the subject, who
 * chose not to hear of it, and who blocks the actor.
 */
export async function receiversAmong(
  forge: Forge,
  news: News,
  subject: Subject,
  userIds: readonly number[],
): Promise<User[]> {
  const { number, repositoryId, actorId } = news;
  const choiceKey = (id: number) => subscriptionKey(repositoryId, number ?? 0, id);
  const found = await forge.table.getAll([
    ...userIds.map(ownerKey),
    ...(number === undefined ? [] : userIds.map(choiceKey)),
  ]);
  const users = userIds.flatMap((id) => {
    const user = found.get(keyText(ownerKey(id))) as Owner | undefined;
    const choice = found.get(keyText(choiceKey(id))) as Subscription | undefined;
    return user?.kind === "user" && user.isActive && choice?.isSubscribed !== false ? [user] : [];
  });
  if (users.length === 0) return [];
  const [readers, blockers] = await Promise.all([
    readersAmong(forge, news, subject, users),
    findBlockers(
      forge,
      users.map(({ id }) => id),
      actorId,
    ),
  ]);
  return readers.filter(({ id }) => !blockers.has(id));
}

async function readersAmong(
  forge: Forge,
  { releaseNumber }: News,
  { repository, issue }: Subject,
  users: readonly User[],
): Promise<User[]> {
  const rights = await rightsOfAll(forge, repository, users);
  const mayRead = async ({ id }: User) => {
    const theirs = rights.get(id);
    if (issue !== undefined) return theirs !== undefined && isIssueReadable(theirs, issue.kind);
    if (releaseNumber !== undefined)
      return theirs !== undefined && modeOf(theirs, "releases") >= accessMode.read;
    // A repository is told of while it is offered: a recipient may read it until they decide.
    const { transfer } = repository;
    if (transfer === undefined) return false;
    const isNamed = transfer.recipientKind === "organization" && theirs !== undefined && hasAccess(theirs);
    return isNamed || isRecipient(forge, transfer, id);
  };
  const may = await Promise.all(users.map(mayRead));
  return users.filter((_, place) => may[place]);
}
