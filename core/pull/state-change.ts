import { conflict, preconditionFailed, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { branchPrefix } from "../git/refs/ref-name.ts";
import { openRepository } from "../git/store/store.ts";
import type { Issue } from "../issue/issue.table.ts";
import { type BranchPair, isPullRequest, type OpenPullRow, pairKey } from "./pull.table.ts";

/**
 * Throws when a pull request may not be opened or closed as wanted: 412 when it is merged, 422 when one of its branches
 * is gone, Conflict when another one between them is open.
 */
export async function requireStateChange(forge: Forge, issue: Issue, isClosed: boolean): Promise<void> {
  if (!isPullRequest(issue) || issue.isClosed === isClosed) return;
  const { repositoryId, pull } = issue;
  if (pull.merge !== undefined) throw preconditionFailed("the request is merged: its state stays");
  if (isClosed) return;
  if (!(await hasBranch(forge, repositoryId, pull.base))) throw unprocessable("the base branch is gone");
  if (!(await hasBranch(forge, pull.headRepositoryId, pull.head)))
    throw unprocessable("the head branch is gone");
  await requireNoOther(forge, repositoryId, pull);
}

async function hasBranch(forge: Forge, repositoryId: number, branch: string): Promise<boolean> {
  const repository = await openRepository(forge, repositoryId);
  return repository?.refs.find(branchPrefix + branch) !== undefined;
}

/** Conflict when a request between these branches is open. */
export async function requireNoOther(forge: Forge, repositoryId: number, pair: BranchPair): Promise<void> {
  const other = await forge.table.get<OpenPullRow>(pairKey(repositoryId, pair));
  if (other === undefined) return;
  throw conflict(
    `a pull request from this head into this base is open [number: ${other.number}, base: ${pair.base}, head: ${pair.head}]`,
  );
}
