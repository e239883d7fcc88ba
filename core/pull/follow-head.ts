import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { isForgeError, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import { logIds } from "../git/history/log.ts";
import { isAncestor } from "../git/history/merge-base.ts";
import { branchPrefix } from "../git/refs/ref-name.ts";
import { type RefSnapshot, readSnapshot } from "../git/store/refs/snapshot.ts";
import { followIssueChange, type IssueChange, writesOfIssueChange } from "../issue/change.ts";
import { issueKey } from "../issue/issue.table.ts";
import { entryChange, issueEvent } from "../issue/plan-change.ts";
import { entryIds } from "../issue/timeline.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { equals } from "../table/condition.ts";
import { put } from "../table/write.ts";
import { findUserById } from "../user/find.ts";
import { findSystemUser, ghostUser } from "../user/system-users.ts";
import { keepPullHead } from "./keep-head.ts";
import { type PullRequest, pullRowWrites } from "./pull.table.ts";
import { openPullSides, type PullSides } from "./sides.ts";

/** More new commits than this are not named one by one in the timeline. */
const mostTold = 250;

/** Reads the refs of a repository, of each once for a whole list. */
export type ReadRefs = (repositoryId: number) => Promise<RefSnapshot | undefined>;

export function readRefsOnce({ table }: Forge): ReadRefs {
  const known = new Map<number, Promise<RefSnapshot | undefined>>();
  return (repositoryId) => {
    const reading = known.get(repositoryId) ?? readSnapshot(table, repositoryId);
    known.set(repositoryId, reading);
    return reading;
  };
}

/**
 * The request with the commit that its head branch names now. When the branch has moved, the ref that keeps the head,
 * the timeline and the events follow first; it may be asked for by many at once, and again after a crash. A request whose
 * head or base branch is gone, or that is closed meanwhile, stays as it is. Conflict when others keep changing it.
 */
export async function followHead(
  forge: Forge,
  pull: PullRequest,
  readRefs: ReadRefs = readRefsOnce(forge),
): Promise<PullRequest> {
  if (pull.isClosed) return pull;
  const { headRepositoryId, head, headId } = pull.pull;
  const snapshot = await readRefs(headRepositoryId);
  const branch = snapshot?.root.state === "live" ? snapshot.refs.find(branchPrefix + head) : undefined;
  if (branch === undefined || branch.id === headId) return pull;
  try {
    const sides = await openPullSides(forge, pull.repositoryId, pull.pull);
    return await moveHead(forge, pull, sides, await pusherOf(forge, branch.pusherId));
  } catch (error) {
    if (isForgeError(error, "not-found")) return (await findPull(forge, pull)) ?? pull;
    throw error;
  }
}

/** The same for whoever can do without it: the request as it is while others keep changing it. */
export async function tryFollowHead(
  forge: Forge,
  pull: PullRequest,
  readRefs?: ReadRefs,
): Promise<PullRequest> {
  try {
    return await followHead(forge, pull, readRefs);
  } catch (error) {
    if (!isForgeError(error, "conflict")) throw error;
    const { repositoryId, number } = pull;
    forge.log.warn("pull:head-not-followed", { repositoryId, number, error });
    return pull;
  }
}

const pusherOf = async (forge: Forge, id: number): Promise<Actor> => ({
  user: findSystemUser(id) ?? (await findUserById(forge, id)) ?? ghostUser,
});

async function moveHead(
  forge: Forge,
  pull: PullRequest,
  sides: PullSides,
  actor: Actor,
): Promise<PullRequest> {
  const body = JSON.stringify(await pushedCommits(sides, pull.pull.headId));
  const drawIds = entryIds(forge);
  const repository = await forge.table.get<Repository>(repositoryKey(pull.repositoryId));
  if (repository === undefined) return pull;
  let change: IssueChange | undefined;
  const isMoved = await keepPullHead(forge, {
    pull,
    sides,
    old: pull.pull.headId,
    actor,
    async writes() {
      const now = await findPull(forge, pull);
      if (now === undefined || now.isClosed || now.pull.base !== pull.pull.base) {
        throw notFound("the request was closed, or has another base");
      }
      const at = nowSeconds(forge.clock);
      const { headId, mergeBase } = sides;
      const moved = { ...now, v: now.v + 1, pull: { ...now.pull, headId, mergeBase } };
      const told = await entryChange(moved, { type: "pull_push", body }, { actor, at, entryIds: drawIds });
      const events = [issueEvent(forge, moved, actor, "synchronized")];
      change = { ...told, events, writes: pullRowWrites(now, moved) };
      const issueWrite = put(change.issue, equals({ v: now.v, isClosed: false }));
      return writesOfIssueChange({ change, issueWrite }, repository);
    },
  });
  if (isMoved && change !== undefined) await followIssueChange(forge, change);
  const moved = (await findPull(forge, pull)) ?? pull;
  if (moved.pull.reviewing !== undefined) await dismissApprovals(forge, moved, actor);
  return moved;
}

/** The rule of the base may dismiss approvals of what the head was; whoever judges a merge makes good what fails here. */
async function dismissApprovals(forge: Forge, pull: PullRequest, actor: Actor): Promise<void> {
  const { dismissStale } = await import("../review/dismiss-stale.ts"); // few requests have reviews
  try {
    await dismissStale(forge, pull, { actor });
  } catch (error) {
    forge.log.warn("pull:dismiss-later", { repositoryId: pull.repositoryId, number: pull.number, error });
  }
}

const findPull = ({ table }: Forge, { repositoryId, number }: PullRequest) =>
  table.get<PullRequest>(issueKey(repositoryId, number));

/** What the timeline tells of a push: the new commits, oldest first; of a forced one where the head was and is. */
async function pushedCommits(
  { code: { history }, headId }: PullSides,
  former: ObjectId,
): Promise<{ readonly is_force_push: boolean; readonly commit_ids: readonly ObjectId[] }> {
  const isForced = !history.has(former) || !(await isAncestor(history, former, headId));
  if (isForced) return { is_force_push: true, commit_ids: [former, headId] };
  const { ids } = await logIds(history, { tips: [headId], not: [former], limit: mostTold });
  return { is_force_push: false, commit_ids: ids.toReversed() };
}
