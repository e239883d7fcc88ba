import type { Actor } from "../../actor.ts";
import type { Forge } from "../../forge.ts";
import { branchPrefix } from "../../git/refs/ref-name.ts";
import { issueKey } from "../../issue/issue.table.ts";
import { keyText } from "../../table/write.ts";
import type { OpenPullRow, PullPart, PullRequest } from "../pull.table.ts";
import { type Followers, listFollowers, type Side } from "./branch-move.ts";
import { closePull } from "./close.ts";
import { type ReadRefs, readRefsOnce, tryFollowHead } from "./follow-head.ts";
import { findPresentName } from "./renamed-branch.ts";
import { repointPull } from "./repoint.ts";
import { findNewBase, retargetPull } from "./retarget.ts";

/**
 * Lets open requests follow what happened to a branch of a repository, as it is now: their heads follow a branch that
 * moved; their branches are named anew with one that was renamed; requests into a deleted branch get another base, or
 * are closed, and those from it are closed (semantics §6). A deleted branch that was made again is left alone. It may
 * be repeated, and stopped anywhere.
 */
export async function followBranch(
  forge: Forge,
  repositoryId: number,
  { move, side, rows }: Pick<Followers, "move" | "side" | "rows">,
  actor: Actor,
): Promise<void> {
  const readRefs = readRefsOnce(forge);
  if (move.kind === "moved") return followAll(forge, rows, readRefs);
  if (await hasBranch(readRefs, repositoryId, move.branch)) return;
  const name = side === "from" ? "head" : "base";
  const isDue = (pull: PullPart) => pull[name] === move.branch;
  if (move.to !== undefined) {
    const isThere = (branch: string) => hasBranch(readRefs, repositoryId, branch);
    const to = await findPresentName(forge, repositoryId, move.to, isThere);
    for (const row of rows) await repointPull(forge, row, { [name]: to }, actor, isDue);
    return followLate(forge, repositoryId, to, side, actor);
  }
  const base = side === "into" ? await findNewBase(forge, repositoryId, move.branch) : undefined;
  for (const row of rows) {
    const isRetargeted = base !== undefined && (await retargetPull(forge, row, base, actor, isDue));
    if (!isRetargeted) await closePull(forge, row, actor, isDue);
  }
  if (base !== undefined) await followLate(forge, repositoryId, base.branch, side, actor);
}

/**
 * Follows the deletion of the branch that requests were just given: whoever followed it then may not have seen them.
 */
async function followLate(
  forge: Forge,
  repositoryId: number,
  branch: string,
  side: Side,
  actor: Actor,
): Promise<void> {
  if (await hasBranch(readRefsOnce(forge), repositoryId, branch)) return;
  const late = await listFollowers(forge, repositoryId, { branch, kind: "gone" }, side);
  if (late.rows.length > 0) await followBranch(forge, repositoryId, late, actor);
}

/** Whether the branch is there; nothing is done in a repository that is gone, because its end closes its requests. */
async function hasBranch(readRefs: ReadRefs, repositoryId: number, branch: string): Promise<boolean> {
  const snapshot = await readRefs(repositoryId);
  return snapshot?.root.state !== "live" || snapshot.refs.find(branchPrefix + branch) !== undefined;
}

async function followAll(forge: Forge, rows: readonly OpenPullRow[], readRefs: ReadRefs): Promise<void> {
  const keys = rows.map(({ repositoryId, number }) => issueKey(repositoryId, number));
  const pulls = await forge.table.getAll<PullRequest>(keys);
  for (const key of keys) {
    const pull = pulls.get(keyText(key));
    if (pull !== undefined) await tryFollowHead(forge, pull, readRefs);
  }
}
