import type { Forge } from "../../forge.ts";
import { lazy } from "../../lazy.ts";
import type { PullRequest } from "../../pull/pull.table.ts";
import type { Review } from "../review.table.ts";
import { changeDigest } from "./change-digest.ts";

/** Tells whether a review is about a change that the request no longer brings. */
export type StaleJudge = (review: Review) => Promise<boolean>;

/**
 * A review is stale when it is about another commit than the head, and about another change (semantics §12.3). The
 * head's change is looked at once, and only when some review is about another commit.
 */
export function staleJudge(forge: Forge, pull: PullRequest): StaleJudge {
  const change = lazy(() => changeDigest(forge, pull, pull.pull.headId));
  return async (review) => {
    if (review.commitId === pull.pull.headId) return false;
    return review.change === undefined || review.change !== (await change());
  };
}
