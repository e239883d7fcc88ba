import type { Actor } from "../../actor.ts";
import { nowSeconds } from "../../clock.ts";
import type { Forge } from "../../forge.ts";
import type { ObjectId } from "../../git/format/object-format.ts";
import type { IssueChange } from "../../issue/change/change.ts";
import { planIssueChange } from "../../issue/change/plan-change.ts";
import type { EntryIds } from "../../issue/change/timeline.ts";
import { put } from "../../table/write.ts";
import { mergedHeadWrites } from "../head/merged-head.ts";
import { type Merge, type MergedPullRow, mergedPullKey, type PullRequest } from "../pull.table.ts";

/** A merge that is to be noted at its request. */
export interface DoneMerge {
  readonly commitId: ObjectId;
  /** Where the head left the base. */
  readonly mergeBase: ObjectId;
  /** Whole seconds; now when absent. */
  readonly at?: number;
}

/**
 * The change that closes a request as merged by `actor`, with everything that tells of it; its issue has the next
 * version. For the transaction that moves the base, on the condition that the request is as it was read.
 */
export async function planMerged(
  forge: Forge,
  pull: PullRequest,
  { commitId, mergeBase, at = nowSeconds(forge.clock) }: DoneMerge,
  { actor, entryIds }: { readonly actor: Actor; readonly entryIds: EntryIds },
): Promise<IssueChange> {
  const { repositoryId, number } = pull;
  const wasScheduled = pull.pull.scheduledBy === actor.user.id;
  const merge: Merge = { commitId, mergerId: actor.user.id, at, ...(wasScheduled ? { wasScheduled } : {}) };
  const wanted = { ...pull, isClosed: true, pull: { ...pull.pull, mergeBase, merge } };
  const commit = { repositoryId, id: commitId };
  const changing = { actor, at: nowSeconds(forge.clock), entryIds, commit };
  const change = await planIssueChange(forge, pull, wanted, changing);
  if (change === undefined) throw new Error(`pull request ${repositoryId}.${number} is merged already`);
  const row: MergedPullRow = { ...mergedPullKey(repositoryId, commitId), number, _v: 1 };
  return {
    ...change,
    issue: { ...change.issue, v: pull.v + 1 },
    writes: [...(change.writes ?? []), put(row), ...mergedHeadWrites(pull)],
  };
}
