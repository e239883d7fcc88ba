import type { Actor } from "../../actor.ts";
import { nowSeconds } from "../../clock.ts";
import type { Forge } from "../../forge.ts";
import type { ObjectId } from "../../git/format/object-format.ts";
import type { HistoryReader } from "../../git/history/history.ts";
import { RevisionWalk } from "../../git/history/revision-walk.ts";
import type { PlannedChange } from "../../issue/change/change.ts";
import { entryChange, issueEvent } from "../../issue/change/plan-change.ts";
import type { EntryIds } from "../../issue/change/timeline.ts";
import { equals } from "../../table/condition.ts";
import { put } from "../../table/write.ts";
import { type PullPart, type PullRequest, pullRowWrites } from "../pull.table.ts";

/** More new commits than this are not named one by one in the timeline. */
const mostTold = 250;

/** What the timeline tells of a push to a request. */
export interface PushedCommits {
  readonly is_force_push: boolean;
  /** The new commits, oldest first. A forced push names the former and the new head instead. */
  readonly commit_ids: readonly ObjectId[];
}

/** The timeline entry for a head that moves on from `former`, or by force. */
export async function pushedCommits(
  history: HistoryReader,
  { former, headId, isForced }: { former: ObjectId; headId: ObjectId; isForced: boolean },
): Promise<PushedCommits> {
  if (isForced) return { is_force_push: true, commit_ids: [former, headId] };
  const walk = new RevisionWalk(history, { tips: [headId], not: [former] });
  const ids: ObjectId[] = [];
  for (let one = await walk.next(); one !== undefined && ids.length < mostTold; one = await walk.next()) {
    ids.push(one.id);
  }
  return { is_force_push: false, commit_ids: ids.toReversed() };
}

/** The new head of a request, and what is told of it. */
export interface NewHead extends Pick<PullPart, "headId" | "mergeBase"> {
  readonly pushed: PushedCommits;
}

/**
 * The change of an open request, as it was just read, whose head moves: its timeline and its events. For the transaction
 * that moves the ref that keeps the head.
 */
export async function planHeadMove(
  forge: Forge,
  now: PullRequest,
  { headId, mergeBase, pushed }: NewHead,
  { actor, entryIds }: { readonly actor: Actor; readonly entryIds: EntryIds },
): Promise<Required<PlannedChange>> {
  const changing = { actor, at: nowSeconds(forge.clock), entryIds };
  const moved = { ...now, v: now.v + 1, pull: { ...now.pull, headId, mergeBase } };
  const told = await entryChange(moved, { type: "pull_push", body: JSON.stringify(pushed) }, changing);
  const events = [issueEvent(forge, moved, actor, "synchronized")];
  const change = { ...told, events, writes: pullRowWrites(now, moved) };
  return { change, issueWrite: put(change.issue, equals({ v: now.v, isClosed: false })) };
}

/**
 * Follows the new head of a request: the rule of the base may dismiss approvals of what the head was. What fails here
 * is done again when a merge is judged.
 */
export async function dismissApprovals(forge: Forge, pull: PullRequest, actor: Actor): Promise<void> {
  if (pull.pull.reviewing === undefined) return;
  const { dismissStale } = await import("../../review/stale/dismiss-stale.ts"); // few requests have reviews
  try {
    await dismissStale(forge, pull, { actor });
  } catch (error) {
    forge.log.warn("pull:dismiss-later", { repositoryId: pull.repositoryId, number: pull.number, error });
  }
}
