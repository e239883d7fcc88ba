import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { inTurn } from "../concurrency/turns.ts";
import { keepFormerContent } from "../content-history/content-history.ts";
import { conflict, invalid, missingRights, notFound } from "../errors.ts";
import { type OutboxEntry, outbox, send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { eventDetail } from "../hook/event-detail.ts";
import { repositoryEvent } from "../hook/events.ts";
import { nextId } from "../ids.ts";
import { requireUnblocked } from "../issue/blocks.ts";
import { changeIssue, type FollowUp, getIssue, rewriteIssue } from "../issue/change/change.ts";
import { dateOfChange } from "../issue/change/update-date.ts";
import { type Issue, issueKey, issueTombstoneKey } from "../issue/issue.table.ts";
import { commentCounts } from "../issue/listing/counts.ts";
import { requireIssueUnlocked } from "../issue/lock.ts";
import { followText } from "../issue/references/settle-references.ts";
import { type Writing, writtenTextOf } from "../issue/references/written-text.ts";
import { isIssueReadable, isIssueWriter, mayEditIssue } from "../issue/rights.ts";
import { equals } from "../table/condition.ts";
import { check, keyText, put, type Write } from "../table/write.ts";
import { bodyProblem } from "../text.ts";
import { changedWords, newWords } from "../word-index/write.ts";
import {
  type Comment,
  commentPlace,
  type EntryRow,
  entryKey,
  entryRowKey,
  newEntry,
  rowOf,
  type TimelineEntry,
} from "./comment.table.ts";

import { planRemoval } from "./internal/remove.ts";

/**
 * Comments on an issue or pull. NotFound as for the issue; Forbidden when it is locked and the caller is no writer, and
 * when the repository's owner or the issue's author blocks the caller; 422 when the text is empty or over its bound.
 * `updatedAt` is the given date (B-01, B-02), now when absent.
 */
export async function createComment(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  body: string,
  actor: Actor,
  updatedAt?: number,
): Promise<Comment> {
  const id = await nextId(forge.table, "comment");
  const { entries } = await changeIssue(forge, access, number, async (issue) => {
    await requireOpen(forge, access, issue, actor);
    const at = dateOfChange(forge, access, issue, updatedAt);
    requireText(body);
    const comment = newEntry(issue, { id, type: "comment", authorId: actor.user.id, body, createdAt: at });
    return {
      issue: { ...issue, comments: issue.comments + 1, updatedAt: at },
      entries: [comment],
      counts: commentCounts(issue, 1),
      events: [commentEvent(forge, comment, actor, "created")],
      writes: newWords(commentPlace(comment), [body], comment.v),
      followUp: followComment(forge, undefined, comment, { actor, at, isDated: updatedAt !== undefined }),
    };
  });
  return entries[0] as Comment;
}

/** Throws unless the caller may comment on an issue. NotFound when there is none. */
export async function requireCommentable(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  actor: Actor,
): Promise<void> {
  await requireOpen(forge, access, await getIssue(forge, access, number), actor);
}

async function requireOpen(
  forge: Forge,
  access: RepositoryAccess,
  issue: Issue,
  actor: Actor,
): Promise<void> {
  requireIssueUnlocked(access, issue);
  await requireUnblocked(forge, access, actor, issue.authorId);
}

/**
 * The timeline entry with this id; undefined when it is not a comment. NotFound when the repository has no such entry,
 * or the caller may not read its issues (or pulls) (B-18).
 */
export async function findComment(
  forge: Forge,
  access: RepositoryAccess,
  id: number,
): Promise<Comment | undefined> {
  const entry = await getEntry(forge, access, id);
  return isComment(entry) ? entry : undefined;
}

/**
 * Replaces the text of a comment. Its author (not while the issue is locked) and writers may. Undefined when the entry
 * is not a comment; NotFound as in `findComment`; 422 as in `createComment`; Conflict when others keep changing it. A
 * given date (B-01, B-02) becomes the issue's, too (D-TOUCH).
 */
export async function editComment(
  forge: Forge,
  access: RepositoryAccess,
  id: number,
  body: string,
  actor: Actor,
  updatedAt?: number,
): Promise<Comment | undefined> {
  const inLine = keyText(entryRowKey(access.repository.id, id));
  return inTurn(forge, inLine, () => editInTurn(forge, access, id, body, actor, updatedAt));
}

async function editInTurn(
  forge: Forge,
  access: RepositoryAccess,
  id: number,
  body: string,
  actor: Actor,
  updatedAt: number | undefined,
): Promise<Comment | undefined> {
  for await (const _attempt of attempts()) {
    const entry = await requireCommentEditable(forge, access, id, actor);
    if (!isComment(entry)) return undefined;
    const isUnlocked = await unlockedCheck(forge, access, entry);
    const touch = updatedAt === undefined ? undefined : await touchOf(forge, access, entry, updatedAt);
    requireText(body);
    if (body === entry.body && touch === undefined) return entry;
    const at = touch?.at ?? nowSeconds(forge.clock);
    const made = { userId: actor.user.id, at };
    const history = keepFormerContent(commentPlace(entry), entry, body, made);
    const edited: Comment = { ...entry, ...history.counted, body, updatedAt: at, v: entry.v + 1 };
    const writing = { actor, at, isDated: updatedAt !== undefined };
    const beside = [...isUnlocked, ...history.writes, ...(touch?.writes ?? [])];
    if (await commitEdit(forge, entry, edited, writing, beside)) return edited;
  }
  throw conflict(`comment ${id} is being changed by others; try again`);
}

/** The entry, for its author and writers; Forbidden for others. NotFound as in `findComment`. */
export async function requireCommentEditable(
  forge: Forge,
  access: RepositoryAccess,
  id: number,
  actor: Actor,
): Promise<TimelineEntry> {
  const entry = await getEntry(forge, access, id);
  const written = { kind: entry.issueKind, authorId: entry.authorId };
  if (mayEditIssue(access.rights, actor, written)) return entry;
  throw missingRights("only its author and writers may change a comment");
}

/**
 * For callers who are no writers: checks that the conversation is open, and that it stays open until the edit is done.
 * Forbidden when it is not.
 */
async function unlockedCheck(
  forge: Forge,
  access: RepositoryAccess,
  { issueKind, issueNumber }: Comment,
): Promise<Write[]> {
  if (isIssueWriter(access.rights, issueKind)) return [];
  requireIssueUnlocked(access, await getIssue(forge, access, issueNumber));
  return [check(issueKey(access.repository.id, issueNumber), equals({ isLocked: false }))];
}

/** The issue of a comment with a given date. */
async function touchOf(
  forge: Forge,
  access: RepositoryAccess,
  { issueNumber }: Comment,
  updatedAt: number,
): Promise<{ at: number; writes: Write[] }> {
  const issue = await getIssue(forge, access, issueNumber);
  const at = dateOfChange(forge, access, issue, updatedAt);
  return { at, writes: rewriteIssue(issue, { updatedAt: at }) };
}

async function commitEdit(
  forge: Forge,
  before: Comment,
  after: Comment,
  writing: Writing & { readonly actor: Actor },
  beside: readonly Write[],
): Promise<boolean> {
  const event = commentEvent(forge, after, writing.actor, "edited");
  const followUp = followComment(forge, before, after, writing);
  const texts = { before: [before.body], after: [after.body], v: after.v };
  const outcome = await forge.table.transact([
    put(after, equals({ v: before.v })),
    put(rowOf(after)),
    eventDetail(forge, event.message.eventId, { body: before.body }),
    event.write,
    ...(await changedWords(forge, commentPlace(before), texts)),
    ...beside,
    ...(followUp === undefined ? [] : [followUp.write]),
  ]);
  if (!outcome.committed) return false;
  await send(forge, [event]);
  await followUp?.work();
  return true;
}

/** Tells issues and users that the new text names, and those that it no longer names. */
function followComment(
  forge: Forge,
  before: Comment | undefined,
  after: TimelineEntry,
  writing: Writing,
): FollowUp | undefined {
  const { repositoryId, issueNumber: number, id: commentId } = after;
  const texts = { before: writtenTextOf(before), after: writtenTextOf(after) };
  return followText(forge, { repositoryId, number, commentId }, texts, writing);
}

/**
 * Removes a comment. Its author and writers may. Does nothing to entries that are no comments; NotFound as in
 * `findComment`.
 */
export async function removeComment(
  forge: Forge,
  access: RepositoryAccess,
  id: number,
  actor: Actor,
): Promise<void> {
  const entry = await requireCommentEditable(forge, access, id, actor);
  if (!isComment(entry)) return;
  await changeIssue(forge, access, entry.issueNumber, async (issue) => {
    const planned = await planRemoval(forge, issue, id);
    if (planned === undefined) return undefined;
    const { removed, ...change } = planned;
    const event = commentEvent(forge, removed, actor, "deleted");
    const detail = eventDetail(forge, event.message.eventId, { removed });
    return { ...change, events: [event], writes: [...(change.writes ?? []), detail] };
  });
}

async function getEntry(
  forge: Forge,
  { repository, rights }: RepositoryAccess,
  id: number,
): Promise<TimelineEntry> {
  const row = await forge.table.get<EntryRow>(entryRowKey(repository.id, id));
  if (row !== undefined && isIssueReadable(rights, row.issueKind)) {
    const [key, goneKey] = [
      entryKey(repository.id, row.issueNumber, id),
      issueTombstoneKey(repository.id, row.issueNumber),
    ];
    const found = await forge.table.getAll([key, goneKey]);
    const entry = found.get(keyText(key)) as TimelineEntry | undefined;
    if (entry !== undefined && !found.has(keyText(goneKey))) return entry;
  }
  throw notFound(`comment does not exist [id: ${id}]`);
}

const isComment = (entry: TimelineEntry): entry is Comment => entry.type === "comment";

function requireText(body: string): void {
  if (body === "") throw invalid("Body", "Required");
  const problem = bodyProblem("Body", body);
  if (problem !== undefined) throw problem;
}

function commentEvent(
  forge: Forge,
  { repositoryId, issueNumber, id }: TimelineEntry,
  actor: Actor,
  action: "created" | "edited" | "deleted",
): OutboxEntry {
  const origin = { repositoryId, actorId: actor.user.id, at: forge.clock.now() };
  const what = { kind: "issue-comment", action, index: issueNumber, commentId: id } as const;
  return outbox(forge, "repository-events", repositoryEvent({ ...what, ...origin }));
}
