import type { Actor } from "../../actor.ts";
import { isForgeError, notFound } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { isAncestor } from "../../git/history/merge-base.ts";
import { branchPrefix } from "../../git/refs/ref-name.ts";
import { type RefSnapshot, readSnapshot } from "../../git/store/refs/snapshot.ts";
import { followIssueChange, type PlannedChange, writesOfIssueChange } from "../../issue/change/change.ts";
import { entryIds } from "../../issue/change/timeline.ts";
import { issueKey } from "../../issue/issue.table.ts";
import { type Repository, repositoryKey } from "../../repository/repository.table.ts";
import { findUserById } from "../../user/find.ts";
import { findSystemUser, ghostUser } from "../../user/system-users.ts";
import { keepPullHead } from "../head/keep-head.ts";
import type { PullRequest } from "../pull.table.ts";
import { openPullSides, type PullSides } from "../sides.ts";
import { dismissApprovals, planHeadMove, pushedCommits } from "./head-move.ts";

/** Reads the refs of repositories, each once for a whole list. */
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

/** The same without the Conflict: while others keep changing the request, it is answered as it is. */
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
  const { headId: former } = pull.pull;
  const { headId, mergeBase, code } = sides;
  const isForced = !code.history.has(former) || !(await isAncestor(code.history, former, headId));
  const pushed = await pushedCommits(code.history, { former, headId, isForced });
  const drawIds = entryIds(forge);
  const repository = await forge.table.get<Repository>(repositoryKey(pull.repositoryId));
  if (repository === undefined) return pull;
  let planned: Required<PlannedChange> | undefined;
  const isMoved = await keepPullHead(forge, {
    pull,
    sides,
    old: former,
    actor,
    async writes() {
      const now = await findPull(forge, pull);
      if (now === undefined || now.isClosed || now.pull.base !== pull.pull.base) {
        throw notFound("the request was closed, or has another base");
      }
      const head = { headId, mergeBase, pushed };
      planned = await planHeadMove(forge, now, head, { actor, entryIds: drawIds });
      return writesOfIssueChange(planned, repository);
    },
  });
  if (isMoved && planned !== undefined) await followIssueChange(forge, planned.change);
  const moved = (await findPull(forge, pull)) ?? pull;
  await dismissApprovals(forge, moved, actor);
  return moved;
}

const findPull = ({ table }: Forge, { repositoryId, number }: PullRequest) =>
  table.get<PullRequest>(issueKey(repositoryId, number));
