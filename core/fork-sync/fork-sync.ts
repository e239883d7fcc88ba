/** Forks that follow their parent: how far a branch is behind, and bringing it up to date (semantics §40). */

import { accessMode, modeOf } from "../access/modes.ts";
import { isHiddenFromToken } from "../access/public-only.ts";
import { findAccessById, type RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { authorshipOf } from "../code/authorship.ts";
import { landChangesIn } from "../code/land.ts";
import { type Code, openCode } from "../code/open.ts";
import { packBetween, withObjectsOf } from "../code/related-objects.ts";
import { attempts } from "../concurrency/attempts.ts";
import { badRequest, conflict, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import { aheadBehind } from "../git/history/merge-base.ts";
import { newPackOf } from "../git/ingest/take-pack.ts";
import { branchPrefix } from "../git/refs/ref-name.ts";
import { shareNamedLfsObjects } from "../lfs/named-objects.ts";
import type { Repository } from "../repository/repository.table.ts";

/** A branch of a fork compared with the one of the same name in its parent. */
export interface SyncState {
  /** The fork's branch can be moved forward to the parent's commit. */
  readonly isAllowed: boolean;
  readonly forkCommit: ObjectId;
  /** Empty when the parent has no such branch. */
  readonly baseCommit: ObjectId | "";
  readonly commitsBehind: number;
}

/** Both sides of a sync. */
interface Sides {
  /** The fork's refs, with the objects of both. */
  readonly code: Code;
  readonly forkCommit: ObjectId;
  readonly baseCommit: ObjectId | undefined;
}

/** The same when the parent has the branch, too. */
type WholeSides = Sides & { readonly baseCommit: ObjectId };

async function openSides(
  forge: Forge,
  actor: Actor | undefined,
  { repository }: RepositoryAccess,
  branch: string,
): Promise<Sides> {
  const { parentId } = repository;
  if (parentId === undefined) throw badRequest("the repository is no fork");
  const name = branchPrefix + branch;
  const own = await openCode(forge, repository.id);
  const forkCommit = own.repository.refs.find(name)?.id;
  if (forkCommit === undefined) throw notFound(`branch does not exist [name: ${branch}]`);
  const parent = await findAccessById(forge, actor, parentId);
  const isReadable = parent !== undefined && modeOf(parent.rights, "code") >= accessMode.read;
  if (!isReadable || isHiddenFromToken(actor, parent))
    throw notFound("the repository's parent does not exist");
  const upstream = await openCode(forge, parentId);
  const baseCommit = upstream.repository.refs.find(name)?.id;
  const code = baseCommit === undefined ? own : await withObjectsOf(forge, own, upstream);
  return { code, forkCommit, baseCommit };
}

async function stateOf({ code, forkCommit, baseCommit }: Sides, repository: Repository): Promise<SyncState> {
  if (baseCommit === undefined) return { isAllowed: false, forkCommit, baseCommit: "", commitsBehind: 0 };
  const { ahead, behind } = await aheadBehind(code.history, forkCommit, baseCommit);
  const isAllowed = ahead === 0 && behind > 0 && !repository.isArchived;
  return { isAllowed, forkCommit, baseCommit, commitsBehind: behind };
}

/**
 * Compares a branch of a fork with its parent's. BadRequest when there is no parent; NotFound when there is no such
 * branch.
 */
export async function getSyncState(
  forge: Forge,
  actor: Actor | undefined,
  access: RepositoryAccess,
  branch: string,
): Promise<SyncState> {
  return stateOf(await openSides(forge, actor, access, branch), access.repository);
}

/**
 * Moves a branch of a fork forward to the parent's commit, like a push of the actor. BadRequest when that is not
 * allowed.
 */
export async function fastForwardFork(
  forge: Forge,
  actor: Actor,
  access: RepositoryAccess,
  branch: string,
): Promise<void> {
  for await (const _attempt of attempts()) {
    const sides = await openSides(forge, actor, access, branch);
    const { isAllowed, forkCommit, baseCommit } = await stateOf(sides, access.repository);
    if (!isAllowed || baseCommit === "") {
      throw badRequest("the branch can't be moved forward: it is up to date, or has commits of its own");
    }
    const change = { name: branchPrefix + branch, old: forkCommit, new: baseCommit };
    if (await moveTo(forge, actor, access.repository, change, { ...sides, baseCommit })) return;
  }
  throw conflict("others move the branch all the time: try again");
}

/** A move of a fork's branch. */
interface Move {
  readonly name: string;
  readonly old: ObjectId;
  readonly new: ObjectId;
}

/**
 * Moves a branch to a commit of the parent, or to one made on it, with the objects that the fork lacks, those of Git LFS
 * included.
 */
async function moveTo(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  change: Move,
  { code: { history }, forkCommit, baseCommit }: WholeSides,
): Promise<boolean> {
  const coming = { history, want: baseCommit, have: forkCommit };
  await shareNamedLfsObjects(
    forge,
    { from: repository.parentId ?? repository.id, to: repository.id },
    coming,
  );
  const pack = await packBetween(history, change.new, change.old);
  try {
    const landed = await landChangesIn(forge, repository, actor, [change], { pack: newPackOf(pack) });
    return landed.kind === "landed";
  } finally {
    await pack.dispose();
  }
}

/** The branch to bring up to date, and how. */
export interface UpstreamMerge {
  readonly branch: string;
  /** No merge: only a branch without commits of its own moves. */
  readonly isFastForwardOnly: boolean;
}

/** How a branch was brought up to date. */
export const mergeKinds = ["up-to-date", "fast-forward", "merge"] as const;
export type MergeKind = (typeof mergeKinds)[number];

/**
 * Brings the parent's commits of a branch into a fork: by moving it forward, or by a merge when it has commits of its
 * own. BadRequest when only the former was wanted, or the two have no common history; Conflict when they don't fit
 * together.
 */
export async function mergeUpstream(
  forge: Forge,
  actor: Actor,
  access: RepositoryAccess,
  { branch, isFastForwardOnly }: UpstreamMerge,
): Promise<MergeKind> {
  for await (const _attempt of attempts()) {
    const sides = await openSides(forge, actor, access, branch);
    const { baseCommit } = sides;
    if (baseCommit === undefined) throw notFound(`the parent has no such branch [name: ${branch}]`);
    const { ahead, behind } = await aheadBehind(sides.code.history, sides.forkCommit, baseCommit);
    if (behind === 0) return "up-to-date";
    const whole = { ...sides, baseCommit };
    const change = { name: branchPrefix + branch, old: sides.forkCommit, new: baseCommit };
    if (ahead > 0 && isFastForwardOnly)
      throw badRequest("the branch has commits of its own: it takes a merge");
    const hasMoved =
      ahead === 0
        ? await moveTo(forge, actor, access.repository, change, whole)
        : await mergeInto(forge, actor, access, branch, whole);
    if (hasMoved) return ahead === 0 ? "fast-forward" : "merge";
  }
  throw conflict("others move the branch all the time: try again");
}

/** Lands a merge of the parent's branch, with the objects that the fork lacks. */
async function mergeInto(
  forge: Forge,
  actor: Actor,
  { repository }: RepositoryAccess,
  branch: string,
  sides: WholeSides,
): Promise<boolean> {
  const { forkCommit, baseCommit } = sides;
  const { mergeInStyle } = await import("../git/merge/merge-styles.ts"); // merging is loaded where it is used
  const outcome = await mergeInStyle(sides.code.history, "merge", {
    base: forkCommit,
    head: baseCommit,
    names: { ours: branch, theirs: `upstream/${branch}` },
    ...authorshipOf(forge, actor, {}),
    message: `Merge branch '${branch}' of upstream\n`,
  });
  if (outcome.kind === "conflict") throw conflict("the branch conflicts with the parent's: merge with git");
  if (outcome.kind !== "done") throw badRequest("the branch and the parent's have no common history");
  const change = { name: branchPrefix + branch, old: forkCommit, new: outcome.tip };
  return moveTo(forge, actor, repository, change, sides);
}
