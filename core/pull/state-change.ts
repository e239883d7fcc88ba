import { conflict, preconditionFailed, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { branchPrefix } from "../git/refs/ref-name.ts";
import { rootKey } from "../git/store/refs/refs.table.ts";
import { readSnapshot } from "../git/store/refs/snapshot.ts";
import type { Issue } from "../issue/issue.table.ts";
import { equals } from "../table/condition.ts";
import { check, type Write } from "../table/write.ts";
import { hasPushedHead } from "./head/pushed-head.ts";
import { type BranchPair, isPullRequest, type OpenPullRow, pairKey } from "./pull.table.ts";

/**
 * Throws when a pull request may not be opened or closed as wanted: 412 when it is merged, 422 when one of its branches
 * is gone, Conflict when another one between them is open. Answers the checks for the transaction that opens it: that
 * its branches are still there.
 */
export async function requireStateChange(forge: Forge, issue: Issue, isClosed: boolean): Promise<Write[]> {
  if (!isPullRequest(issue)) return [];
  const { repositoryId, pull } = issue;
  if (pull.merge !== undefined) throw preconditionFailed("the request is merged: its state stays");
  if (isClosed || !issue.isClosed) return [];
  const base = await requireBranch(forge, repositoryId, pull.base, "base");
  const isOwn = pull.headRepositoryId === repositoryId;
  const isThere = hasPushedHead(pull); // the ref that keeps it stays
  const head = isThere ? base : await requireBranch(forge, pull.headRepositoryId, pull.head, "head");
  await requireNoOther(forge, repositoryId, pull);
  return isOwn ? [base] : [base, head];
}

/** Checks for the transaction that gives an open request another base: that the branch is still there. */
export async function requireNewBase(forge: Forge, issue: Issue, wanted: Issue): Promise<Write[]> {
  if (wanted.isClosed || !isPullRequest(wanted) || wanted.pull.base === issue.pull?.base) return [];
  return [await requireBranch(forge, wanted.repositoryId, wanted.pull.base, "base")];
}

/** That the refs are as they were read: a deletion that came in between would not see the request. */
async function requireBranch(forge: Forge, id: number, branch: string, side: string): Promise<Write> {
  const snapshot = await readSnapshot(forge.table, id);
  if (snapshot?.root.state !== "live" || snapshot.refs.find(branchPrefix + branch) === undefined)
    throw unprocessable(`the ${side} branch is gone`);
  return check(rootKey(id), equals({ e: snapshot.root.e }));
}

/** Conflict when a request between these branches is open. */
export async function requireNoOther(forge: Forge, repositoryId: number, pair: BranchPair): Promise<void> {
  const other = await forge.table.get<OpenPullRow>(pairKey(repositoryId, pair));
  if (other === undefined) return;
  throw conflict(
    `a pull request from this head into this base is open [number: ${other.number}, base: ${pair.base}]`,
  );
}
