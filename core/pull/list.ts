import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { defined } from "../defined.ts";
import { badRequest, isForgeError } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { IssueFilter, IssueOrder } from "../issue/issue.index.ts";
import { listIssues } from "../issue/listing/list.ts";
import type { PageRequest } from "../page.ts";
import { baseDigest, headDigest } from "./branch-digest.ts";
import { findNamedBranch } from "./head/head-branch.ts";
import { isPullRequest, type PullRequest } from "./pull.table.ts";

/** Which pull requests of a repository to list, in which order. */
export interface PullQuery extends PageRequest {
  readonly state: "open" | "closed" | "all";
  readonly order: IssueOrder;
  /** Ids, one of which is enough. */
  readonly labelIds?: readonly number[];
  readonly milestoneId?: number;
  /** The author's name. */
  readonly poster?: string;
  /** A branch of the repository. */
  readonly base?: string;
  /** `branch`, or `owner:branch`. */
  readonly head?: string;
}

/** One page of a repository's pull requests, and the number of all that match. BadRequest for an unknown poster. */
export async function listPulls(
  forge: Forge,
  access: RepositoryAccess,
  { poster, labelIds = [], milestoneId = 0, base, head, ...query }: PullQuery,
  actor: Actor | undefined,
): Promise<{ readonly items: readonly PullRequest[]; readonly total: number }> {
  const branches = await branchesOf(forge, access, { base, head }, actor);
  if (branches === "unknown") return { items: [], total: 0 };
  try {
    const { items, total } = await listIssues(forge, access, {
      ...query,
      kind: "pull",
      ...(labelIds.length === 0 ? {} : { labelIds }),
      ...(milestoneId === 0 ? {} : { milestoneId }),
      ...defined({ branches }),
      ...(poster === undefined || poster === "" ? {} : { createdBy: { name: poster, actor } }),
    });
    return { items: items.filter(isPullRequest), total };
  } catch (error) {
    if (poster !== undefined && isForgeError(error, "not-found")) {
      throw badRequest(`there is no such poster [poster: ${poster}]`);
    }
    throw error;
  }
}

/** The filter for the named branches; `unknown` when the head's repository is missing or hidden. */
async function branchesOf(
  forge: Forge,
  access: RepositoryAccess,
  { base, head }: { readonly base: string | undefined; readonly head: string | undefined },
  actor: Actor | undefined,
): Promise<IssueFilter["branches"] | "unknown"> {
  if (base === undefined && head === undefined) return undefined;
  const ofBase = base === undefined ? {} : { base: baseDigest(base) };
  if (head === undefined) return ofBase;
  try {
    const named = await findNamedBranch(forge, actor, access, head);
    const headRepositoryId = named.access.repository.id;
    return { ...ofBase, head: headDigest({ headRepositoryId, head: named.branch }) };
  } catch (error) {
    if (isForgeError(error, "not-found")) return "unknown";
    throw error;
  }
}
