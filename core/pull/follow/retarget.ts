import type { Actor } from "../../actor.ts";
import { type Code, openCode } from "../../code/open.ts";
import type { Forge } from "../../forge.ts";
import type { ObjectId } from "../../git/format/object-format.ts";
import { isAncestor } from "../../git/history/merge-base.ts";
import { branchPrefix } from "../../git/refs/ref-name.ts";
import { issueKey } from "../../issue/issue.table.ts";
import type { IssueAddress } from "../../issue/placed-issues.ts";
import { findMergedFrom } from "../head/merged-head.ts";
import type { PullRequest } from "../pull.table.ts";
import { newestCommon } from "../sides.ts";
import { type IsDue, repointPull } from "./repoint.ts";

/** The branch that requests into a deleted one go into from now on. */
export interface NewBase {
  readonly code: Code;
  readonly branch: string;
  readonly id: ObjectId;
}

/**
 * The branch into which the newest merged request from a deleted branch went (B-05). Undefined when there is none, when
 * it is gone itself, when the merged request came from another repository (B-05c), or when the setting says no (B-05b).
 */
export async function findNewBase(
  forge: Forge,
  repositoryId: number,
  deleted: string,
): Promise<NewBase | undefined> {
  if (!forge.config.retargetChildrenOnMerge) return undefined;
  const merged = await findMergedFrom(forge, repositoryId, deleted);
  if (merged === undefined || merged.base === deleted) return undefined;
  const code = await openCode(forge, repositoryId);
  const id = code.repository.refs.find(branchPrefix + merged.base)?.id;
  return id === undefined ? undefined : { code, branch: merged.base, id };
}

/**
 * Gives an open request into a deleted branch its new base (semantics §6.1). False, and nothing changes, when its head
 * brings nothing there, when a request between the two is open already, or when it is no longer due.
 */
export async function retargetPull(
  forge: Forge,
  { repositoryId, number }: IssueAddress,
  { code, branch, id }: NewBase,
  actor: Actor,
  isDue: IsDue,
): Promise<boolean> {
  const pull = await forge.table.get<PullRequest>(issueKey(repositoryId, number));
  if (pull?.pull === undefined || (await isAncestor(code.history, pull.pull.headId, id))) return false;
  const mergeBase = await newestCommon(code, id, pull.pull.headId);
  return repointPull(forge, { repositoryId, number }, { base: branch, mergeBase }, actor, isDue);
}
