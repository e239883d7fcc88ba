import { accessMode, modeOf } from "../../access/modes.ts";
import { isHiddenFromToken } from "../../access/public-only.ts";
import { findAccessById, type RepositoryAccess } from "../../access/repository-access.ts";
import type { Actor } from "../../actor.ts";
import type { Forge } from "../../forge.ts";
import { branchPrefix, isTextName } from "../../git/refs/ref-name.ts";
import type { PushFacts } from "../../git/store/push/push.ts";
import { branchMoves, type Followers } from "../follow/branch-move.ts";
import type { PushedRequest } from "./request-push.ts";

/** An open request from a pushed branch, or the branches between which one may be opened. */
export type PushHint = {
  /** Short name of the pushed branch. */
  readonly branch: string;
  /** The repository of the request. */
  readonly base: RepositoryAccess;
  /** The branch that it goes into. */
  readonly into: string;
} & ({ readonly number: number } | { readonly head: string });

/** A push that has landed, and the open requests that followed it. */
export interface LandedPush {
  readonly facts: PushFacts;
  readonly followers: readonly Followers[];
  /** The request that it made or moved by `refs/for`. */
  readonly request?: PushedRequest;
}

/** A push of more branches tells of these alone, and of a branch with more requests as many. */
const most = { branches: 5, requests: 3 } as const;

/**
 * What a pusher may want next: the request that they asked for, and for each branch its open requests, or the request
 * that they may open from it, in the repository or in its parent. It leaves out what the pusher may not see, and is
 * empty where pull requests are disabled.
 */
export async function findPushHints(
  forge: Forge,
  actor: Actor,
  own: RepositoryAccess,
  { facts, followers, request }: LandedPush,
): Promise<PushHint[]> {
  const asked = request === undefined ? [] : [hintOf(request, own)];
  return [...asked, ...(await branchHints(forge, actor, own, { facts, followers }))];
}

const hintOf = ({ number, head, base }: PushedRequest, own: RepositoryAccess): PushHint => ({
  ...{ number, branch: head, base: own, into: base },
});

async function branchHints(
  forge: Forge,
  actor: Actor,
  own: RepositoryAccess,
  { facts, followers }: LandedPush,
): Promise<PushHint[]> {
  const pushed = branchMoves(facts.changes)
    .slice(0, most.branches)
    .filter(({ branch, kind }) => kind === "moved" && isTextName(branch));
  if (pushed.length === 0) return [];
  const parent = await findParent(forge, actor, own);
  const bases = [parent, own].flatMap((base) => (base !== undefined && takesRequests(base) ? [base] : []));
  const [likely] = bases;
  if (likely === undefined) return [];
  return pushed.flatMap(({ branch }) => {
    const open = requestsFrom(branch, followers, bases);
    if (open.length > 0) return open;
    const isOwn = likely === own;
    const { repository } = likely;
    const into = isOwn ? facts.after.root.head.slice(branchPrefix.length) : repository.defaultBranch;
    const isTarget = isOwn ? branch !== into : !repository.isEmpty;
    if (!isTarget || repository.isArchived) return [];
    const head = isOwn ? branch : `${own.owner.name}:${branch}`;
    return [{ branch, base: likely, into, head }];
  });
}

async function findParent(
  forge: Forge,
  actor: Actor,
  { repository: { parentId } }: RepositoryAccess,
): Promise<RepositoryAccess | undefined> {
  const parent = parentId === undefined ? undefined : await findAccessById(forge, actor, parentId);
  return parent === undefined || isHiddenFromToken(actor, parent) ? undefined : parent;
}

const takesRequests = ({ rights }: RepositoryAccess): boolean =>
  modeOf(rights, "pulls") >= accessMode.read && modeOf(rights, "code") >= accessMode.read;

function requestsFrom(
  branch: string,
  followers: readonly Followers[],
  bases: readonly RepositoryAccess[],
): PushHint[] {
  const rows = followers.flatMap(({ move, side, rows: found }) =>
    side === "from" && move.branch === branch ? found : [],
  );
  const known = new Map(bases.map((base) => [base.repository.id, base]));
  return rows
    .flatMap(({ repositoryId, number, base: into }) => {
      const base = known.get(repositoryId);
      return base === undefined ? [] : [{ branch, base, into, number }];
    })
    .slice(0, most.requests);
}
