import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import { getIssue } from "../issue/change/change.ts";
import { findNamedBranch } from "./head/head-branch.ts";
import {
  type BranchPair,
  isPullRequest,
  type MergedPullRow,
  mergedPullKey,
  type OpenPullRow,
  type PullRequest,
  pairKey,
} from "./pull.table.ts";

type PullAccess = Pick<RepositoryAccess, "repository" | "rights">;

/**
 * The pull request of this number. NotFound when there is none, also for an issue, and when the caller may not see pull
 * requests.
 */
export async function getPull(forge: Forge, access: PullAccess, number: number): Promise<PullRequest> {
  const issue = await getIssue(forge, access, number);
  if (!isPullRequest(issue)) throw notFound(`pull request does not exist [index: ${number}]`);
  return issue;
}

/**
 * The open request from a head into a base branch; `head` is `branch`, `owner:branch` or `owner/name:branch`. NotFound
 * when there is none.
 */
export async function findPullBetween(
  forge: Forge,
  actor: Actor | undefined,
  access: RepositoryAccess,
  base: string,
  head: string,
): Promise<PullRequest> {
  const named = await findNamedBranch(forge, actor, access, head);
  const pair: BranchPair = { base, headRepositoryId: named.access.repository.id, head: named.branch };
  const row = await forge.table.get<OpenPullRow>(pairKey(access.repository.id, pair));
  if (row === undefined) throw notFound(`no open pull request goes from ${head} into ${base}`);
  return getPull(forge, access, row.number);
}

/** The request that a commit merged (semantics §38). NotFound when there is none. */
export async function getPullMergedBy(
  forge: Forge,
  access: PullAccess,
  commitId: ObjectId,
): Promise<PullRequest> {
  const row = await forge.table.get<MergedPullRow>(mergedPullKey(access.repository.id, commitId));
  if (row === undefined) throw notFound(`no pull request was merged by this commit [sha: ${commitId}]`);
  return getPull(forge, access, row.number);
}
