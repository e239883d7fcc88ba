import type { Actor } from "../../actor.ts";
import { defined } from "../../defined.ts";
import type { Forge } from "../../forge.ts";
import type { RefChange } from "../../git/refs/check-changes.ts";
import {
  type BranchMove,
  branchMoves,
  type Followers,
  findFollowers,
  type NewBranchName,
} from "./branch-move.ts";

/** What a push to a repository's code changed. */
export interface PushedBranches {
  readonly repositoryId: number;
  readonly changes: readonly RefChange[];
  readonly renamed?: NewBranchName | undefined;
}

/** How many requests, of how many branches, follow while the pusher waits. The worker follows with the others. */
const atOnce = { branches: 10, requests: 20 } as const;
/** After this time no further request begins to follow. */
const patienceMs = 5_000;

/**
 * Lets open requests follow a push that has just landed, so that the next reader sees it; a bounded number, because the
 * pusher waits. It never fails: the worker does the same later. Answers the requests from the pushed branches.
 */
export async function followPushAtOnce(
  forge: Forge,
  { repositoryId, changes, renamed }: PushedBranches,
  actor: Actor,
): Promise<readonly Followers[]> {
  const moves = branchMoves(changes, renamed).slice(0, atOnce.branches);
  if (moves.length === 0) return [];
  try {
    const found = await findFollowers(forge, repositoryId, moves);
    if (found.length === 0) return [];
    const { followBranch } = await import("./follow-branch.ts"); // loaded for the few pushes that need it
    const until = performance.now() + patienceMs;
    let left: number = atOnce.requests;
    for (const { move, side, rows } of found) {
      for (const row of rows.slice(0, left)) {
        if (performance.now() > until) return found;
        await followBranch(forge, repositoryId, { move, side, rows: [row] }, actor);
      }
      left -= Math.min(left, rows.length);
    }
    return found;
  } catch (error) {
    forge.log.warn("pull:push-not-followed", { repositoryId, error });
    return [];
  }
}

/** Further requests that must follow a branch, for a job: they don't fit into one message's time. */
export type RestOfFollowers = { readonly repositoryId: number; readonly actorId: number } & Pick<
  Followers,
  "move" | "side"
> & { readonly after: string };

/**
 * Lets every open request follow a push, for the worker; may be repeated. Answers what is left for jobs: the branches
 * with more requests than a page.
 */
export async function followPushOf(
  forge: Forge,
  { repositoryId, changes, renamed }: PushedBranches,
  findActor: () => Promise<Actor>,
): Promise<RestOfFollowers[]> {
  const moves: readonly BranchMove[] = branchMoves(changes, renamed);
  const found = moves.length === 0 ? [] : await findFollowers(forge, repositoryId, moves);
  if (found.length === 0) return [];
  const { followBranch } = await import("./follow-branch.ts");
  const actor = await findActor();
  const rest: RestOfFollowers[] = [];
  for (const followers of found) {
    await followBranch(forge, repositoryId, followers, actor);
    const { move, side, next } = followers;
    if (next !== undefined)
      rest.push({ repositoryId, actorId: actor.user.id, move, side, ...defined({ after: next }) });
  }
  return rest;
}
