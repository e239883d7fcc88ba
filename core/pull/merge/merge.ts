import type { RepositoryAccess } from "../../access/repository-access.ts";
import type { Actor } from "../../actor.ts";
import { openCode } from "../../code/open.ts";
import { attempts } from "../../concurrency/attempts.ts";
import { defined } from "../../defined.ts";
import { conflict, isForgeError, notApplicable, unavailable } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import type { ObjectId } from "../../git/format/object-format.ts";
import { branchPrefix } from "../../git/refs/ref-name.ts";
import { shareNamedLfsObjects } from "../../lfs/named-objects.ts";
import { bodyProblem } from "../../text.ts";
import { followHead } from "../follow/follow-head.ts";
import { getPull } from "../pull.ts";
import { type AfterMerge, afterMerge } from "./after-merge.ts";
import { requireMergeable, requireUnmerged } from "./check.ts";
import { landMerge } from "./land-merge.ts";
import { makeMerge } from "./make-merge.ts";
import { markMerged } from "./mark-merged.ts";
import { findRule, type Merging } from "./protection.ts";
import type { WantedMerge } from "./wanted.ts";

/** A request's time for all of it (D-TIME). */
const mostMs = 25_000;

/** What became of the head branch after a merge; `refused`: the caller may not delete it. */
export type HeadFate = "kept" | "deleted" | "refused";

/**
 * Merges a pull request (semantics §22): its base moves and it is marked as merged in one transaction, or nothing
 * happens. NotFound when there is none or it is closed; NotApplicable (405) when it may not be merged; Conflict when
 * base and head don't fit together, or keep moving; Unavailable when it takes longer than 25 s.
 */
export async function mergePull(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  wanted: WantedMerge,
  actor: Actor,
  timeMs = mostMs,
): Promise<HeadFate> {
  const problem =
    bodyProblem("MergeTitleField", wanted.title ?? "") ??
    bodyProblem("MergeMessageField", wanted.message ?? "");
  if (problem !== undefined) throw problem;
  const deadline = performance.now() + timeMs;
  for await (const _lost of attempts()) {
    const open = () => openMerging(forge, access, number, actor, deadline);
    const merged = await mergeOnce(forge, wanted, deadline, open);
    if (merged !== undefined) return follow(forge, merged, actor);
  }
  throw conflict("the base or the request keeps changing: try again");
}

/** The request is merged, whatever fails now: the queue does the rest. */
async function follow(forge: Forge, merged: AfterMerge, actor: Actor): Promise<HeadFate> {
  try {
    return await afterMerge(forge, merged, actor);
  } catch (error) {
    const { repositoryId, number } = merged;
    forge.log.warn("pull:after-merge-later", { repositoryId, number, error });
    return "kept";
  }
}

/** Reads what a merge needs. Throws as `requireUnmerged` for a request that is not open. */
export async function openMerging(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  actor: Actor,
  deadline = performance.now() + mostMs,
): Promise<Merging> {
  const { id } = access.repository;
  const read = await getPull(forge, access, number);
  requireUnmerged(read);
  const pull = await followHead(forge, read);
  requireUnmerged(pull);
  const code = await openCode(forge, id, undefined, timeLeft(deadline));
  const baseId = code.repository.refs.find(branchPrefix + pull.pull.base)?.id;
  if (baseId === undefined) throw notApplicable("the base branch is gone");
  const rule = await findRule(forge, id, pull.pull.base);
  return { access, actor, pull, code, baseId, rule };
}

/** Throws Unavailable when there is none. */
function timeLeft(deadline: number, cause?: unknown): number {
  const left = deadline - performance.now();
  if (left > 0) return left;
  throw unavailable("the merge takes too long here: merge with git and push", defined({ cause }));
}

/** Undefined when others came first and everything must be read again. */
async function mergeOnce(
  forge: Forge,
  wanted: WantedMerge,
  deadline: number,
  open: () => Promise<Merging>,
): Promise<AfterMerge | undefined> {
  const { merging, tip } = await prepareMerge(forge, wanted, open).catch((error: unknown) => {
    if (isForgeError(error, "unavailable")) timeLeft(deadline, error); // what reads does not know of the merge
    throw error;
  });
  const leftMs = () => timeLeft(deadline);
  if (wanted.style === "manually-merged") return markMerged(forge, merging, wanted, leftMs);
  if (tip === undefined) return markMerged(forge, merging, { ...wanted, commitId: merging.baseId }, leftMs);
  return landMerge(forge, merging, { ...wanted, style: wanted.style }, tip, leftMs);
}

/** Opens and judges it, and makes the base's new tip; none when it is merged by hand, or the base has all of the head. */
async function prepareMerge(
  forge: Forge,
  wanted: WantedMerge,
  open: () => Promise<Merging>,
): Promise<{ readonly merging: Merging; readonly tip?: ObjectId | undefined }> {
  const merging = await open();
  await requireMergeable(forge, merging, wanted);
  if (wanted.style === "manually-merged") return { merging };
  const tip = await makeMerge(forge, merging, { ...wanted, style: wanted.style });
  if (tip === undefined) return { merging };
  const { repositoryId, pull } = merging.pull;
  const coming = { history: merging.code.history, want: pull.headId, have: merging.baseId };
  await shareNamedLfsObjects(forge, { from: pull.headRepositoryId, to: repositoryId }, coming);
  return { merging, tip };
}
