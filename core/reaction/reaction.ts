import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { entryRowKey } from "../comment/comment.table.ts";
import { findComment } from "../comment/comment.ts";
import { attempts } from "../concurrency/attempts.ts";
import { conflict, forbidden, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { requireUnblocked } from "../issue/blocks.ts";
import { getIssue } from "../issue/change/change.ts";
import { authorKeys, type Issue, issueKey } from "../issue/issue.table.ts";
import { requireIssueUnlocked } from "../issue/lock.ts";
import { absent, equals, exists } from "../table/condition.ts";
import { check, put, update, type Write } from "../table/write.ts";
import { type Reaction, type ReactionTarget, reactionKey, reactionsOf } from "./reaction.table.ts";

/** The target by its public name: an issue or pull by its number, or a comment by its id. */
export type ReactedOn = { readonly number: number } | { readonly commentId: number };

/** The reactions on a target, oldest first. NotFound as for the target itself. */
export async function listReactions(
  forge: Forge,
  access: RepositoryAccess,
  on: ReactedOn,
): Promise<Reaction[]> {
  const { target } = await findSubject(forge, access, on);
  const found = await forge.table.queryAll<Reaction>(reactionsOf(target));
  return found.sort((one, other) => one.createdAt - other.createdAt || momentOf(one) - momentOf(other));
}

/**
 * Reacts; `isNew` is false when the caller has reacted so already. NotFound as for the target itself; Forbidden for
 * contents that the instance does not know, in a locked conversation unless the caller is a writer, and when the
 * repository's owner or the target's author blocks the caller.
 */
export async function createReaction(
  forge: Forge,
  access: RepositoryAccess,
  on: ReactedOn,
  content: string,
  actor: Actor,
): Promise<{ readonly reaction: Reaction; readonly isNew: boolean }> {
  for await (const _attempt of attempts()) {
    const subject = await findSubject(forge, access, on);
    requireIssueUnlocked(access, subject.issue);
    await requireUnblocked(forge, access, actor, subject.authorId);
    if (!contentsOf(forge).includes(content)) {
      throw forbidden(`the reaction is not one of those known here: ${contentsOf(forge).join(" ")}`);
    }
    const key = reactionKey(subject.target, actor.user.id, content);
    const before = await forge.table.get<Reaction>(key);
    if (before !== undefined) return { reaction: before, isNew: false };
    const { id: userId } = actor.user;
    const createdAtMs = forge.clock.now();
    const createdAt = Math.floor(createdAtMs / 1000);
    const keys = authorKeys(userId, "reaction", key);
    const reaction: Reaction = { ...key, ...keys, userId, content, createdAt, createdAtMs, _v: 1 };
    const { committed } = await forge.table.transact([put(reaction, absent), ...asFound(subject)]);
    if (committed) return { reaction, isNew: true };
  }
  throw conflict("the conversation is being changed by others; try again");
}

/** Takes the caller's reaction back; nothing happens when there is none. NotFound and Forbidden as `createReaction`. */
export async function removeReaction(
  forge: Forge,
  access: RepositoryAccess,
  on: ReactedOn,
  content: string,
  actor: Actor,
): Promise<void> {
  const { target, issue } = await findSubject(forge, access, on);
  requireIssueUnlocked(access, issue);
  const reaction = await forge.table.get<Reaction>(reactionKey(target, actor.user.id, content));
  if (reaction !== undefined) await forge.table.removeAll([reaction]);
}

const momentOf = ({ createdAt, createdAtMs }: Reaction): number => createdAtMs ?? createdAt * 1000;

/** Every content that the instance knows. */
const contentsOf = ({ config }: Forge): readonly string[] => [...config.reactions, ...config.customEmojis];

interface Subject {
  readonly target: ReactionTarget;
  readonly issue: Issue;
  readonly authorId: number;
}

async function findSubject(forge: Forge, access: RepositoryAccess, on: ReactedOn): Promise<Subject> {
  const repositoryId = access.repository.id;
  if ("number" in on) {
    const issue = await getIssue(forge, access, on.number);
    return { target: { repositoryId, number: on.number, commentId: 0 }, issue, authorId: issue.authorId };
  }
  const comment = await findComment(forge, access, on.commentId);
  if (comment === undefined) throw notFound(`comment does not exist [id: ${on.commentId}]`);
  const issue = await getIssue(forge, access, comment.issueNumber);
  const target = { repositoryId, number: issue.number, commentId: comment.id };
  return { target, issue, authorId: comment.authorId };
}

/** Checks that the target is still there, and not more locked than it was. */
function asFound({ target, issue }: Subject): Write[] {
  const { repositoryId, number, commentId } = target;
  const isIssueThere = check(issueKey(repositoryId, number), equals({ isLocked: issue.isLocked }));
  if (commentId === 0) return [isIssueThere];
  return [
    isIssueThere,
    update(entryRowKey(repositoryId, commentId), { set: { hasReactions: true } }, exists),
  ];
}
