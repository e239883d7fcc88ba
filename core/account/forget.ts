import { forgetBlocksOf } from "../block/block.ts";
import { type CollaboratorMirror, collaboratorMirrorsOf } from "../collaborator/collaborator.table.ts";
import { takeCollaborator } from "../collaborator/collaborator.ts";
import { entryPrefix, type TimelineEntry } from "../comment/comment.table.ts";
import { purgeComment } from "../comment/purge.ts";
import { isForgeError } from "../errors.ts";
import { forgetFollowsOf } from "../follow/follow.ts";
import type { Forge } from "../forge.ts";
import { gpgKeyPrefix } from "../gpg-key/gpg-key.table.ts";
import { removeGpgKeysOf } from "../gpg-key/gpg-key.ts";
import { removeSomeHooks } from "../hook/remove-some.ts";
import {
  assignedIssuesOf,
  createdIssuesOf,
  subscriptionPrefix,
  type UserIssueRow,
} from "../issue/issue.table.ts";
import { forgetMentionsOf } from "../issue/mentions.ts";
import { purgeIssue, unassignUser } from "../issue/purge.ts";
import { clearingUp, type PartStep, type Pass } from "../jobs/passes.ts";
import { isMark } from "../mark/mark.table.ts";
import { forgetSomeMarks } from "../mark/mark.ts";
import { findOrganizationsById } from "../organization/list.ts";
import { removeOrganizationMember } from "../organization/members.ts";
import { purgeOrganization } from "../organization/remove.ts";
import { send } from "../outbox.ts";
import { nameGuardKey, userPartition } from "../owner/owner.table.ts";
import { keyPrefix } from "../public-key/public-key.table.ts";
import { removePublicKeysOf } from "../public-key/public-key.ts";
import { reactionPrefix } from "../reaction/reaction.table.ts";
import { removeRepositoriesOfOwner } from "../repository/remove.ts";
import { cardPrefix, ownerPartition, type RepositoryCard } from "../repository/repository.table.ts";
import { forgetStopwatchesOfUser } from "../stopwatch/stopwatch.ts";
import { equals } from "../table/condition.ts";
import { type Item, remove } from "../table/write.ts";
import { type MembershipMirror, membershipMirrorsOf } from "../team/team.table.ts";
import { type Token, tokenGuardKey, tokenPrefix } from "../token/token.table.ts";
import { forgetSomeTimes } from "../tracked-time/forget.ts";
import { foldMessage } from "../word-index/word-index.ts";

/** A user who was deleted, and how. */
export interface ForgottenUser {
  readonly userId: number;
  readonly formerNames: readonly string[];
  /** Whether everything they owned and wrote goes, too (B-14). */
  readonly purges: boolean;
  /** The user who deleted them. */
  readonly actorId: number;
  /** Milliseconds. */
  readonly hiddenAt: number;
}

type Forgetting = ForgottenUser & Pass;

const thingsPerStep = 10;
const rowsPerStep = 100;

async function forgetRepositories(forge: Forge, { userId, purges, actorId }: Forgetting): Promise<PartStep> {
  if (!purges) return { hasFound: false };
  const { items, next } = await forge.table.query<RepositoryCard>({
    pk: ownerPartition(userId),
    prefix: cardPrefix,
    limit: thingsPerStep,
  });
  for (const { repositoryId } of items) await removeRepositoriesOfOwner(forge, actorId, userId, repositoryId);
  return { hasFound: items.length > 0, ...(next === undefined ? {} : { inner: 0 }) };
}

/** Ends the user's memberships. Organizations that lose their last owner are purged, too. */
async function forgetOrganizations(
  forge: Forge,
  { userId, purges, actorId }: Forgetting,
  inner: number | string | undefined,
): Promise<PartStep> {
  const { items, next } = await forge.table.query<MembershipMirror>({
    ...membershipMirrorsOf(userId),
    limit: thingsPerStep,
    ...(inner === undefined ? {} : { after: String(inner) }),
  });
  const found = await findOrganizationsById(
    forge,
    items.map(({ organizationId }) => organizationId),
  );
  // The job that this starts removes the memberships of purged organizations.
  for (const organization of found.values()) {
    try {
      await removeOrganizationMember(forge, organization, userId);
    } catch (error) {
      if (!purges || !isForgeError(error, "invalid")) throw error;
      await purgeOrganization(forge, actorId, organization);
    }
  }
  return { hasFound: found.size > 0, ...(next === undefined ? {} : { inner: next }) };
}

async function forgetIssues(forge: Forge, { userId, purges }: Forgetting): Promise<PartStep> {
  if (!purges) return { hasFound: false };
  const { items, next } = await forge.table.query<UserIssueRow>({
    ...createdIssuesOf(userId),
    limit: thingsPerStep,
  });
  for (const row of items) {
    await purgeIssue(forge, row.repositoryId, row.number);
    await forge.table.removeAll([row]); // Removed last: a job that was killed finds the rest of the issue by it.
    await send(forge, [foldMessage(row.repositoryId)]);
  }
  return { hasFound: items.length > 0, ...(next === undefined ? {} : { inner: 0 }) };
}

async function forgetAssignments(forge: Forge, { userId }: Forgetting): Promise<PartStep> {
  const { items, next } = await forge.table.query<UserIssueRow>({
    ...assignedIssuesOf(userId),
    limit: thingsPerStep,
  });
  for (const row of items) await unassignUser(forge, row, userId);
  await forge.table.removeAll(items);
  return { hasFound: items.length > 0, ...(next === undefined ? {} : { inner: 0 }) };
}

/** Removes the rows of issues that mention the user, and their mirrors there. */
async function forgetMentions(forge: Forge, { userId }: Forgetting): Promise<PartStep> {
  const forgotten = await forgetMentionsOf(forge, userId, rowsPerStep);
  return { hasFound: forgotten > 0, ...(forgotten < rowsPerStep ? {} : { inner: 0 }) };
}

/** The index that finds comments lags: a later pass finds those that this one misses. */
async function forgetComments(
  forge: Forge,
  { userId, purges }: Forgetting,
  inner: number | string | undefined,
): Promise<PartStep> {
  if (!purges) return { hasFound: false };
  const after = inner === undefined ? undefined : JSON.parse(String(inner));
  const { keys, next } = await forge.table.queryActor(userPartition(userId), after);
  const found = await forge.table.getAll<TimelineEntry>(keys.filter(({ sk }) => sk.startsWith(entryPrefix)));
  const written = [...found.values()].filter((one) => one.type === "comment" && one.authorId === userId);
  for (const comment of written) await purgeComment(forge, comment);
  const repositoryIds = new Set(written.map(({ repositoryId }) => repositoryId));
  await send(
    forge,
    [...repositoryIds].map((id) => foldMessage(id)),
  );
  return { hasFound: written.length > 0, ...(next === undefined ? {} : { inner: JSON.stringify(next) }) };
}

/**
 * Removes the user's subscriptions and reactions on issues. Every deleted account loses them; they are found as
 * comments are.
 */
async function forgetReactions(
  { table }: Forge,
  { userId }: Forgetting,
  inner: number | string | undefined,
): Promise<PartStep> {
  const after = inner === undefined ? undefined : JSON.parse(String(inner));
  const { keys, next } = await table.queryActor(userPartition(userId), after);
  const his = keys.filter(({ sk }) => sk.startsWith(reactionPrefix) || sk.startsWith(subscriptionPrefix));
  const found = await table.getAll(his);
  await table.removeAll([...found.values()]);
  return { hasFound: found.size > 0, ...(next === undefined ? {} : { inner: JSON.stringify(next) }) };
}

async function forgetTimes(forge: Forge, { userId, purges }: Forgetting): Promise<PartStep> {
  await forgetStopwatchesOfUser(forge, userId);
  if (!purges) return { hasFound: false };
  const removed = await forgetSomeTimes(forge, userId);
  return { hasFound: removed > 0, ...(removed === 0 ? {} : { inner: 0 }) };
}

async function forgetCollaborations(forge: Forge, { userId }: Forgetting): Promise<PartStep> {
  const rows = await forge.table.queryAll<CollaboratorMirror>({
    ...collaboratorMirrorsOf(userId),
    limit: rowsPerStep,
  });
  for (const { repositoryId } of rows) await takeCollaborator(forge, repositoryId, userId);
  return { hasFound: rows.length > 0, ...(rows.length < rowsPerStep ? {} : { inner: 0 }) };
}

/** Stars and watches, with what repositories count of them. */
async function forgetMarks(forge: Forge, { userId }: Forgetting): Promise<PartStep> {
  const { hasFound, hasMore } = await forgetSomeMarks(forge, userId);
  return hasMore ? { inner: 0, hasFound } : { hasFound };
}

async function forgetKeys(forge: Forge, { userId }: Forgetting): Promise<PartStep> {
  await removePublicKeysOf(forge, userId);
  await removeGpgKeysOf(forge, userId);
  return { hasFound: false };
}

async function forgetHooks(forge: Forge, { userId }: Forgetting): Promise<PartStep> {
  const { hasFound, hasMore } = await removeSomeHooks(forge, { kind: "user", id: userId });
  return hasMore ? { inner: 0, hasFound } : { hasFound };
}

async function forgetAcquaintances(forge: Forge, { userId }: Forgetting): Promise<PartStep> {
  await forgetBlocksOf(forge, userId);
  await forgetFollowsOf(forge, userId);
  return { hasFound: false };
}

/** Removes the rest of the user's partition, with the items elsewhere that belong to it. */
async function forgetRows(
  { table }: Forge,
  { userId }: Forgetting,
  inner: number | string | undefined,
): Promise<PartStep> {
  const { pk, prefix } = membershipMirrorsOf(userId);
  const page = await table.query<Item>({
    pk,
    limit: rowsPerStep,
    ...(inner === undefined ? {} : { after: String(inner) }),
  });
  // Keys have guards elsewhere and stars are counted there, so steps of their own remove them.
  const kept = [prefix, keyPrefix, gpgKeyPrefix];
  const items = page.items.filter((item) => !isMark(item) && !kept.some((one) => item.sk.startsWith(one)));
  const tokens = items.filter(({ sk }) => sk.startsWith(tokenPrefix)) as Token[];
  await table.removeAll(tokens.map(({ hash }) => tokenGuardKey(hash)));
  await table.removeAll(items);
  return { hasFound: items.length > 0, ...(page.next === undefined ? {} : { inner: page.next }) };
}

async function forgetNames({ table }: Forge, { userId, formerNames }: Forgetting): Promise<PartStep> {
  for (const name of formerNames) {
    await table.write(remove(nameGuardKey(name), equals({ kind: "redirect", ownerId: userId })));
  }
  return { hasFound: false };
}

/** Removes what is left of a deleted user, who is hidden from everybody already. */
export const forgetUser = clearingUp<ForgottenUser>({
  parts: [
    forgetRepositories,
    forgetOrganizations,
    forgetIssues,
    forgetComments,
    forgetReactions,
    forgetAssignments,
    forgetTimes,
    forgetMentions,
    forgetCollaborations,
    forgetAcquaintances,
    forgetMarks,
    forgetKeys,
    forgetHooks,
    forgetRows,
    forgetNames,
  ],
  since: (args) => args.hiddenAt,
});
