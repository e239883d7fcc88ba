import { isRepositoryAdmin } from "../../access/modes.ts";
import { findAccessById, type RepositoryAccess } from "../../access/repository-access.ts";
import type { Actor } from "../../actor.ts";
import { nowSeconds } from "../../clock.ts";
import { newestStatuses } from "../../commit-status/commit-status.ts";
import { defined } from "../../defined.ts";
import { conflict, forbidden, isForgeError, notFound, unprocessable } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import type { ObjectId } from "../../git/format/object-format.ts";
import { changeIssue } from "../../issue/change/change.ts";
import { entryChange } from "../../issue/change/plan-change.ts";
import { entryIds } from "../../issue/change/timeline.ts";
import { issueKey } from "../../issue/issue.table.ts";
import type { IssueAddress } from "../../issue/placed-issues.ts";
import { put, remove } from "../../table/write.ts";
import { findUserById } from "../../user/find.ts";
import { followHead } from "../follow/follow-head.ts";
import {
  isPullRequest,
  type OpenPullRow,
  type PullRequest,
  pullRowWrites,
  scheduledPullsAt,
  withoutSchedule,
} from "../pull.table.ts";
import { getPull } from "../pull.ts";
import { requireMergeable, requireUnmerged } from "./check.ts";
import { mergePull, openMerging } from "./merge.ts";
import { contextProblems, findRule } from "./protection.ts";
import { type ScheduledMerge, scheduledMergeKey } from "./schedule.table.ts";
import type { WantedMerge } from "./wanted.ts";

/**
 * Lets a request be merged, with the rights that `actor` has then, once the checks of its head succeed (semantics
 * §22.6). Refused like a merge, except for what the rule of the base demands; Conflict when a merge is scheduled
 * already.
 */
export async function scheduleMerge(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  wanted: WantedMerge,
  actor: Actor,
): Promise<void> {
  if (wanted.style === "manually-merged")
    throw unprocessable("a merge by hand is noted at once: it waits for nothing");
  const merging = await openMerging(forge, access, number, actor);
  await requireMergeable(forge, merging, wanted, { isScheduling: true });
  const { repositoryId } = merging.pull;
  const { style, title, message, deletesBranch } = wanted;
  const item: ScheduledMerge = {
    ...scheduledMergeKey(repositoryId, number),
    wanted: { style, ...defined({ title, message, deletesBranch }) },
    _v: 1,
  };
  const drawIds = entryIds(forge);
  await changeIssue(forge, access, number, async (issue) => {
    if (!isPullRequest(issue)) return undefined;
    requireUnmerged(issue);
    if (issue.pull.scheduledBy !== undefined)
      throw conflict("a merge of the pull request is scheduled already");
    const scheduled = { ...issue, pull: { ...issue.pull, scheduledBy: actor.user.id } };
    const changing = { actor, at: nowSeconds(forge.clock), entryIds: drawIds };
    const change = await entryChange(scheduled, { type: "pull_scheduled_merge" }, changing);
    return { ...change, writes: [...pullRowWrites(issue, scheduled), put(item)] };
  });
  await tryScheduledMerge(forge, { repositoryId, number });
}

/**
 * Forgets a scheduled merge. NotFound when there is none; Forbidden for callers who neither scheduled it nor administer
 * the repository.
 */
export async function cancelScheduledMerge(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  actor: Actor,
): Promise<void> {
  await getPull(forge, access, number);
  const drawIds = entryIds(forge);
  await changeIssue(forge, access, number, async (issue) => {
    const scheduler = issue.pull?.scheduledBy;
    if (scheduler === undefined) throw notFound("no merge of the pull request is scheduled");
    if (scheduler !== actor.user.id && !isRepositoryAdmin(access.rights)) {
      throw forbidden("only the user who scheduled the merge, and administrators, may cancel it");
    }
    const cancelled = withoutSchedule(issue);
    const changing = { actor, at: nowSeconds(forge.clock), entryIds: drawIds };
    const change = await entryChange(cancelled, { type: "pull_cancel_scheduled_merge" }, changing);
    const item = remove(scheduledMergeKey(issue.repositoryId, number));
    return { ...change, writes: [...pullRowWrites(issue, cancelled), item] };
  });
}

/** Requests that one message tries to merge: any number may wait for one commit. */
const mostTried = 20;

/**
 * Merges the requests that wait for the checks of a commit, as far as they may be merged now: a few, in the order of
 * their numbers. Answers what `after` has to be to go on with the others; undefined when none is left.
 */
export async function mergeScheduledAt(
  forge: Forge,
  { repositoryId, commitId }: { readonly repositoryId: number; readonly commitId: ObjectId },
  after?: string,
): Promise<string | undefined> {
  const place = scheduledPullsAt(repositoryId, commitId);
  const asked = { ...place, ...defined({ after }), limit: mostTried };
  const { items, next } = await forge.table.query<OpenPullRow>(asked);
  for (const row of items) await tryScheduledMerge(forge, row);
  return next;
}

/**
 * Merges a request whose merge is scheduled, when its checks have succeeded and nothing else forbids it; else it goes
 * on waiting. Called after whatever may have made it possible: a check, or an approval (a head that needs no check
 * waits for that alone).
 */
export async function tryScheduledMerge(
  forge: Forge,
  { repositoryId, number }: IssueAddress,
  { isApproved = false } = {},
): Promise<void> {
  const found = await forge.table.get<PullRequest>(issueKey(repositoryId, number));
  if (found === undefined || found.isClosed || found.pull.scheduledBy === undefined) return;
  const pull = await followHead(forge, found);
  const [item, user] = await Promise.all([
    forge.table.get<ScheduledMerge>(scheduledMergeKey(repositoryId, number)),
    findUserById(forge, found.pull.scheduledBy),
  ]);
  if (item === undefined || user?.isActive !== true || !(await haveChecksSucceeded(forge, pull, isApproved)))
    return;
  const access = await findAccessById(forge, { user }, repositoryId);
  if (access === undefined || access.repository.isArchived) return;
  try {
    await mergePull(forge, access, number, { ...item.wanted, headId: pull.pull.headId }, { user });
  } catch (error) {
    if (!isForgeError(error)) throw error;
    forge.log.info("pull:scheduled-merge-waits", { repositoryId, number, reason: error.message });
  }
}

/** The checks that the rule of the base names; all of them when it names none. */
async function haveChecksSucceeded(
  forge: Forge,
  { repositoryId, pull }: PullRequest,
  isApproved: boolean,
): Promise<boolean> {
  const rule = await findRule(forge, repositoryId, pull.base);
  const newest = await newestStatuses(forge, repositoryId, pull.headId);
  if (isApproved && newest.length === 0 && rule?.requiredContexts === undefined) return true;
  return (await contextProblems(newest, rule?.requiredContexts ?? [])).length === 0;
}
