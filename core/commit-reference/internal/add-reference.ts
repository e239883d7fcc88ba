import type { RepositoryAccess } from "../../access/repository-access.ts";
import type { Actor } from "../../actor.ts";
import { nowSeconds } from "../../clock.ts";
import type { TimelineEntry } from "../../comment/comment.table.ts";
import { hasOpenDependencies } from "../../dependency/dependency.ts";
import type { Forge } from "../../forge.ts";
import { nextId } from "../../ids.ts";
import { requireUnblocked } from "../../issue/blocks.ts";
import { changeIssue, type IssueChange } from "../../issue/change/change.ts";
import { type Changing, planIssueChange } from "../../issue/change/plan-change.ts";
import { entriesFrom, entryIds } from "../../issue/change/timeline.ts";
import type { Issue } from "../../issue/issue.table.ts";
import { requireIssueUnlocked } from "../../issue/lock.ts";
import { mayEditIssue } from "../../issue/rights.ts";
import type { ReferenceAction } from "../../reference/find-references.ts";
import { absent, equals } from "../../table/condition.ts";
import { put, type Write } from "../../table/write.ts";
import { shortened } from "../../text.ts";
import { isTracked, mayTrack } from "../../tracked-time/rights.ts";
import { timeAdditionWrites, timeEntry, timeOn } from "../../tracked-time/write.ts";
import { type CommitReferenceGuard, commitReferenceKey } from "../commit-reference.table.ts";

/** What a commit says about an issue. */
export interface ReferringCommit {
  readonly id: string;
  /** The repository that it was pushed to. */
  readonly repositoryId: number;
  readonly message: string;
  readonly action: ReferenceAction;
  /** Time that was spent; 0: nothing is said of it. */
  readonly seconds: number;
  /** Whether the commit is on the branch that acts on this issue. */
  readonly counts: (issue: Issue) => boolean;
}

const longestSubject = 255;

/**
 * Adds a commit that refers to an issue: one entry in its timeline. When the commit says so, the pusher could do it themselves
 * and the branch counts, it also closes or reopens the issue and books time, once. An issue that waits for open ones
 * stays open. NotFound when the pusher may not read it; Forbidden when they may not comment.
 */
export async function addCommitReference(
  forge: Forge,
  actor: Actor,
  place: RepositoryAccess,
  number: number,
  said: ReferringCommit,
): Promise<void> {
  const drawIds = entryIds(forge);
  let timeId: number | undefined;
  await changeIssue(forge, place, number, async (issue) => {
    const key = commitReferenceKey(issue.repositoryId, number, said.id);
    const known = await forge.table.get<CommitReferenceGuard>(key);
    const acts = known?.isDone !== true && mayAct(actor, place, issue, said);
    if (known !== undefined && !acts) return undefined;
    requireIssueUnlocked(place, issue);
    await requireUnblocked(forge, place, actor, issue.authorId);
    const at = nowSeconds(forge.clock);
    const asRead = known === undefined ? absent : equals({ isDone: known.isDone });
    const guard: CommitReferenceGuard = { ...key, isDone: acts || known?.isDone === true, _v: 1 };
    const changing = { actor, at, entryIds: drawIds };
    const entries = known === undefined ? await entryOf(issue, said, changing) : [];
    const bare = { issue: { ...issue, updatedAt: at }, entries, events: [], writes: [put(guard, asRead)] };
    if (!acts) return bare;
    const booksTime = said.seconds > 0 && mayBook(forge, place, actor, issue);
    if (booksTime) timeId ??= await nextId(forge.table, "tracked-time");
    const booked = booksTime ? await timeOf(issue, said, timeId ?? 0, behind(1, changing)) : noTime;
    const state = await stateChange(forge, place, issue, said, behind(2, changing));
    return {
      ...bare,
      ...state,
      entries: [...entries, ...booked.entries, ...(state?.entries ?? [])],
      writes: [...bare.writes, ...booked.writes, ...(state?.writes ?? [])],
    };
  });
}

/**
 * Whether a keyword is carried out: on issues, on their branch, for a pusher who could do it themselves (semantics
 * §20.4).
 */
const mayAct = (actor: Actor, { rights }: RepositoryAccess, issue: Issue, said: ReferringCommit): boolean =>
  said.action !== "none" &&
  issue.kind === "issue" &&
  said.counts(issue) &&
  mayEditIssue(rights, actor, issue);

const mayBook = (forge: Forge, place: RepositoryAccess, actor: Actor, issue: Issue): boolean =>
  isTracked(forge, place) && mayTrack(place, actor, issue);

/** Entries lie by their ids: this leaves room for as many ids before it. */
const behind = (count: number, changing: Changing): Changing => ({
  ...changing,
  entryIds: async (wanted) => (await changing.entryIds(count + wanted)).slice(count),
});

async function entryOf(
  issue: Issue,
  { id, repositoryId, message }: ReferringCommit,
  { actor, at, entryIds }: Changing,
): Promise<TimelineEntry[]> {
  const body = shortened(message.split("\n", 1)[0] ?? "", longestSubject);
  const contents = [{ type: "commit_ref", body, commit: { repositoryId, id } }] as const;
  return entriesFrom(issue, contents, { authorId: actor.user.id, at, entryIds });
}

const noTime: { readonly entries: readonly TimelineEntry[]; readonly writes: readonly Write[] } = {
  entries: [],
  writes: [],
};

async function timeOf(
  issue: Issue,
  { seconds }: ReferringCommit,
  id: number,
  { actor, at, entryIds }: Changing,
): Promise<typeof noTime> {
  const userId = actor.user.id;
  const time = timeOn(issue, { id, userId, seconds, createdAt: at });
  const contents = [timeEntry("add_time_manual", time)];
  const entries = await entriesFrom(issue, contents, { authorId: userId, at, entryIds });
  return { entries, writes: timeAdditionWrites(time) };
}

/** An issue that waits for open ones stays open. */
async function stateChange(
  forge: Forge,
  place: RepositoryAccess,
  issue: Issue,
  { action, id, repositoryId }: ReferringCommit,
  changing: Changing,
): Promise<IssueChange | undefined> {
  const isClosed = action === "closes";
  if (isClosed && !issue.isClosed && (await hasOpenDependencies(forge, place, issue))) return undefined;
  return planIssueChange(forge, issue, { ...issue, isClosed }, { ...changing, commit: { repositoryId, id } });
}
