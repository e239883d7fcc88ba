import { defined } from "../../defined.ts";
import type { Forge } from "../../forge.ts";
import type { RefChange } from "../../git/refs/check-changes.ts";
import { branchPrefix } from "../../git/refs/ref-name.ts";
import {
  type OpenPullRow,
  openPullsFrom,
  openPullsFromAnyBranch,
  openPullsInto,
  openPullsIntoAnyBranch,
} from "../pull.table.ts";

/** What a push did to a branch. The requests from it follow, and so do those into it when the branch is gone. */
export interface BranchMove {
  /** Short names. */
  readonly branch: string;
  readonly kind: "moved" | "gone" | "renamed";
  /** The new name. */
  readonly to?: string;
}

/** The new name of a branch, by short names. */
export interface NewBranchName {
  readonly from: string;
  readonly to: string;
}

/** The moves of all branches that a push changed. */
export function branchMoves(changes: readonly RefChange[], renamed?: NewBranchName): BranchMove[] {
  return changes.flatMap(({ name, new: id }): BranchMove[] => {
    if (!name.startsWith(branchPrefix)) return [];
    const branch = name.slice(branchPrefix.length);
    if (id !== undefined) return [{ branch, kind: "moved" }];
    return [
      branch === renamed?.from ? { branch, kind: "renamed", to: renamed.to } : { branch, kind: "gone" },
    ];
  });
}

/** Whether requests go from a branch, or into it. */
export type Side = "from" | "into";

/** The sides that a move of a branch concerns; the requests into a branch that went first. */
export const sidesOf = ({ kind }: BranchMove): readonly Side[] =>
  kind === "moved" ? ["from"] : ["into", "from"];

/** Open requests that must follow a branch, by one page of their rows; `next` leads to the following page. */
export interface Followers {
  readonly move: BranchMove;
  readonly side: Side;
  readonly rows: readonly OpenPullRow[];
  readonly next?: string;
}

/** The most rows of a page. */
const pageRows = 50;
/** So many branches are asked for one by one when a repository's requests don't fit into a page. */
const fewBranches = 10;

/** One page of the open requests on one side of a branch. */
export async function listFollowers(
  { table }: Forge,
  repositoryId: number,
  move: BranchMove,
  side: Side,
  after?: string,
): Promise<Followers> {
  const place = (side === "from" ? openPullsFrom : openPullsInto)(repositoryId, move.branch);
  const { items, next } = await table.query<OpenPullRow>({
    ...place,
    limit: pageRows,
    ...defined({ after }),
  });
  return { move, side, rows: items, ...defined({ next }) };
}

/**
 * The first page of followers of each branch that a push changed; branches without followers are left out. A push of
 * one branch, and one to a repository without many requests, costs one query.
 */
export async function findFollowers(
  forge: Forge,
  repositoryId: number,
  moves: readonly BranchMove[],
): Promise<Followers[]> {
  const found: Followers[] = [];
  for (const side of ["into", "from"] as const) {
    const due = moves.filter((move) => sidesOf(move).includes(side));
    const likely = await haveFollowers(forge, repositoryId, due, side);
    for (const move of likely) found.push(await listFollowers(forge, repositoryId, move, side));
  }
  return found.filter(({ rows }) => rows.length > 0);
}

/** The branches that have followers, or may have some. */
async function haveFollowers(
  { table }: Forge,
  repositoryId: number,
  moves: readonly BranchMove[],
  side: Side,
): Promise<readonly BranchMove[]> {
  if (moves.length <= 1) return moves;
  const place = (side === "from" ? openPullsFromAnyBranch : openPullsIntoAnyBranch)(repositoryId);
  const { items, next } = await table.query<OpenPullRow>({ ...place, limit: pageRows });
  if (next !== undefined && moves.length <= fewBranches) return moves;
  const rows = next === undefined ? items : await table.queryAll<OpenPullRow>(place);
  const branches = new Set(rows.map((row) => (side === "from" ? row.head : row.base)));
  return moves.filter(({ branch }) => branches.has(branch));
}
