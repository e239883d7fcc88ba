import { rightsOfAll } from "../../access/rights-of-all.ts";
import { findBlockers } from "../../block/block.ts";
import { send } from "../../events/outbox.ts";
import type { Forge } from "../../forge.ts";
import { isMailOn, mailChoiceOf } from "../../mail/mail.ts";
import { type News, newsEntry } from "../../notification/news.ts";
import { type NameGuard, nameGuardKey, ownerKey } from "../../owner/owner.table.ts";
import type { Owner } from "../../owner/owner.ts";
import { mentionedNames } from "../../reference/find-references.ts";
import {
  type Mention,
  mentionedIssuesOf,
  mentionedRow,
  mentionKey,
  mentionPrefix,
} from "../../reference/reference.table.ts";
import type { Repository } from "../../repository/repository.table.ts";
import { exists } from "../../table/condition.ts";
import { check, keyText, put } from "../../table/write.ts";
import { listTeams } from "../../team/list.ts";
import { listTeamMembers } from "../../team/members.ts";
import type { User } from "../../user/user.table.ts";
import { type Issue, issueKey, issuePartition, type UserIssueRow } from "../issue.table.ts";
import type { IssueAddress } from "../placed-issues.ts";
import { isIssueReadable } from "../rights.ts";

/** The most users whom one text mentions, with those of teams; further ones are left out. */
const mostUsers = 100;
/** Two items each, and a condition, in one transaction. */
const usersPerWrite = 40;

/** A text that may mention users: of a comment, or with 0 the issue's own; written `at`, in milliseconds. */
export interface MentioningText {
  readonly text: string;
  /** Whom it mentions though its former text did not, in small letters. */
  readonly newNames: readonly string[];
  readonly authorId: number;
  readonly commentId: number;
  readonly at: number;
}

/**
 * Records the users that a text of an issue mentions: those who may read the issue and don't block its author, without
 * the author, and has them notified. They take part in the issue for good, as in the family: whoever is mentioned again
hears of what is written anyway, and has it mailed here if they chose mail of mentions alone. May be repeated.
 */
export async function noteMentions(
  forge: Forge,
  repository: Repository,
  issue: Issue,
  { text, newNames, authorId, commentId, at }: MentioningText,
): Promise<void> {
  const names = mentionedNames(text);
  if (names.length === 0) return;
  const named = await findNamedUsers(forge, repository.ownerId, names);
  const others = named.filter((user) => user.id !== authorId && user.isActive).slice(0, mostUsers);
  const fresh = await lackingMention(forge, issue, others);
  const known = others.filter((user) => !fresh.includes(user));
  const again = await mailedAgain(forge, repository, known, newNames);
  const heard = [...fresh, ...again];
  if (heard.length === 0) return;
  const ids = heard.map(({ id }) => id);
  const [rights, blockers] = await Promise.all([
    rightsOfAll(forge, repository, heard),
    findBlockers(forge, ids, authorId),
  ]);
  const told = ids.filter((id) => {
    const theirs = rights.get(id);
    return theirs !== undefined && isIssueReadable(theirs, issue.kind) && !blockers.has(id);
  });
  const comment = commentId === 0 ? {} : { commentId };
  const isFresh = (userId: number) => fresh.some(({ id }) => id === userId);
  await writeMentions(forge, issue, told, isFresh, { actorId: authorId, at, isMention: true, ...comment });
}

/** Those of these users whom new names of a text mean and who have mentions alone mailed; others hear of it as ever. */
async function mailedAgain(
  forge: Forge,
  { ownerId }: Repository,
  known: readonly User[],
  newNames: readonly string[],
): Promise<User[]> {
  if (newNames.length === 0 || !isMailOn(forge.config)) return [];
  const choosing = known.filter((user) => mailChoiceOf(forge.config, user) === "onmention");
  if (choosing.length === 0) return [];
  const meant = new Set((await findNamedUsers(forge, ownerId, newNames)).map(({ id }) => id));
  return choosing.filter(({ id }) => meant.has(id));
}

/** The numbers of a repository's issues and pulls that mention a user. */
export async function numbersMentioning(
  { table }: Forge,
  userId: number,
  repositoryId: number,
): Promise<Set<number>> {
  const rows = await table.queryAll<UserIssueRow>(mentionedIssuesOf(userId, repositoryId));
  return new Set(rows.map(({ number }) => number));
}

/** Removes mentions of a user, at both ends, so many of them; answers how many. */
export async function forgetMentionsOf({ table }: Forge, userId: number, limit: number): Promise<number> {
  const rows = await table.queryAll<UserIssueRow>({ ...mentionedIssuesOf(userId), limit });
  await table.removeAll(rows.map(({ repositoryId, number }) => mentionKey(repositoryId, number, userId)));
  await table.removeAll(rows);
  return rows.length;
}

/** Removes the mentions in an issue, at both ends. */
export async function forgetMentionsIn({ table }: Forge, address: IssueAddress): Promise<void> {
  const pk = issuePartition(address.repositoryId, address.number);
  const mentions = await table.queryAll<Mention>({ pk, prefix: mentionPrefix });
  await table.removeAll(mentions.map(({ userId }) => mentionedRow(userId, address)));
  await table.removeAll(mentions);
}

/** Users by name, and the members of `organization/team` when the organization owns the repository. */
async function findNamedUsers(forge: Forge, ownerId: number, names: readonly string[]): Promise<User[]> {
  const userNames = names.filter((name) => !name.includes("/"));
  const teamNames = names.filter((name) => name.includes("/"));
  const [guards, memberIds] = await Promise.all([
    forge.table.getAll<NameGuard>(userNames.map(nameGuardKey)),
    teamNames.length === 0 ? [] : findTeamMembers(forge, ownerId, teamNames),
  ]);
  const named = [...guards.values()].flatMap((guard) => (guard.kind === "user" ? [guard.ownerId] : []));
  const ids = [...new Set([...named, ...memberIds])].slice(0, mostUsers);
  const found = await forge.table.getAll<User>(ids.map(ownerKey));
  return [...found.values()].filter(({ kind }) => kind === "user");
}

async function findTeamMembers(forge: Forge, ownerId: number, names: readonly string[]): Promise<number[]> {
  const owner = await forge.table.get<Owner>(ownerKey(ownerId));
  if (owner?.kind !== "organization") return [];
  const all = await listTeams(forge, owner.id);
  const named = all.filter((team) => names.includes(`${owner.name}/${team.name}`.toLowerCase()));
  return (await Promise.all(named.map((team) => listTeamMembers(forge, team)))).flat();
}

async function lackingMention(
  { table }: Forge,
  { repositoryId, number }: Issue,
  mentioned: readonly User[],
): Promise<User[]> {
  const keyOf = ({ id }: User) => mentionKey(repositoryId, number, id);
  const noted = await table.getAll(mentioned.map(keyOf));
  return mentioned.filter((user) => !noted.has(keyText(keyOf(user))));
}

/** Nothing is written of an issue that has gone meanwhile. */
async function writeMentions(
  forge: Forge,
  issue: Issue,
  userIds: readonly number[],
  isFresh: (userId: number) => boolean,
  about: Omit<News, "repositoryId" | "number">,
): Promise<void> {
  const { repositoryId, number } = issue;
  for (let at = 0; at < userIds.length; at += usersPerWrite) {
    const some = userIds.slice(at, at + usersPerWrite);
    const news = newsEntry(forge, { repositoryId, number, ...about, userIds: some });
    const rows = some.filter(isFresh).flatMap((userId) => {
      const mention: Mention = { ...mentionKey(repositoryId, number, userId), userId, _v: 1 };
      return [put(mention), put(mentionedRow(userId, issue))];
    });
    const isThere = check(issueKey(repositoryId, number), exists);
    const { committed } = await forge.table.transact([isThere, ...rows, news.write]);
    if (committed) await send(forge, [news]);
  }
}
