import type { ObjectId } from "../git/format/object-format.ts";
import { padded } from "../ids.ts";
import { type Issue, issuePartition } from "../issue/issue.table.ts";
import { repositoryPartition } from "../repository/repository.table.ts";
import { absent } from "../table/condition.ts";
import { type Item, keyText, put, remove, type TableKey, type Write } from "../table/write.ts";
import { branchDigest } from "./branch-digest.ts";

/** A merge that was done. */
export interface Merge {
  /** The base branch's tip after it; of a request merged by hand the commit that did it. */
  readonly commitId: ObjectId;
  readonly mergerId: number;
  /** Whole seconds. */
  readonly at: number;
  /** It waited for checks; absent: somebody asked for it then. */
  readonly wasScheduled?: true;
}

/** What a request counts of its reviews, and who is asked for one. */
export interface Reviewing {
  /** Reviews of all kinds: pending ones and requests, too. */
  readonly reviews: number;
  /** Comments on lines in submitted reviews. */
  readonly comments: number;
  readonly userIds: readonly number[];
  readonly teamIds: readonly number[];
}

/** The part of a pull request that issues don't have. Names of branches are short: `main`. */
export interface PullPart {
  readonly base: string;
  /** The repository of the head branch: the base's own, or one of its network. It may be gone by now. */
  readonly headRepositoryId: number;
  readonly head: string;
  /** The commit that `refs/pull/<number>/head` names. */
  readonly headId: ObjectId;
  /** The newest common commit of base and head when the request last changed; the base's tip when there is none. */
  readonly mergeBase: ObjectId;
  /** The title says that it is not ready to be merged. */
  readonly isDraft: boolean;
  /** Writers of the base may push to the head branch. */
  readonly allowsMaintainerEdit: boolean;
  /** Absent: never reviewed, and nobody was asked. */
  readonly reviewing?: Reviewing;
  /** Absent: not merged. */
  readonly merge?: Merge;
  /** The user for whom it is merged once the checks of its head succeed; only while it is open. */
  readonly scheduledBy?: number;
}

/** An issue that is a pull request. */
export type PullRequest = Issue & { readonly kind: "pull"; readonly pull: PullPart };

export const isPullRequest = (issue: Issue): issue is PullRequest => issue.pull !== undefined;

/** The ref at the base repository that keeps a request's head. */
export const pullHeadRef = (number: number): string => `refs/pull/${number}/head`;

/** The number of the request whose head a ref keeps; undefined when it is no such ref. */
export function pullOfHeadRef(name: string): number | undefined {
  const number = /^refs\/pull\/(\d+)\/head$/.exec(name)?.[1];
  return number === undefined ? undefined : Number(number);
}

/** Two branches between which one request is open, in the base's repository. */
export type BranchPair = Pick<PullPart, "base" | "headRepositoryId" | "head">;

/** Where the rows about a repository's pull requests lie. */
export const pullsPartition = (repositoryId: number): string => `${repositoryPartition(repositoryId)}#PULL`;

/** Names an open request, for whoever knows its branches. */
export interface OpenPullRow extends Item, BranchPair {
  /** The base's repository. */
  readonly repositoryId: number;
  readonly number: number;
  readonly _v: 1;
}

/** The one open request between two branches: nobody opens a second. */
export const pairKey = (repositoryId: number, { base, headRepositoryId, head }: BranchPair): TableKey => ({
  pk: pullsPartition(repositoryId),
  sk: `PAIR#${padded(headRepositoryId)}#${branchDigest(head)}#${branchDigest(base)}`,
});

/** The open requests into a branch, in the order of their numbers. */
export const openPullsInto = (repositoryId: number, base: string) => ({
  pk: pullsPartition(repositoryId),
  prefix: `BASE#${branchDigest(base)}#`,
});

/** The open requests whose head is a branch of this repository: into any repository of its network. */
export const openPullsFrom = (headRepositoryId: number, head: string) => ({
  pk: pullsPartition(headRepositoryId),
  prefix: `HEAD#${branchDigest(head)}#`,
});
/** The open requests into any branch of a repository. */
export const openPullsIntoAnyBranch = (repositoryId: number) => ({
  pk: pullsPartition(repositoryId),
  prefix: "BASE#",
});
/** The open requests whose head is any branch of this repository. */
export const openPullsFromAnyBranch = (headRepositoryId: number) => ({
  pk: pullsPartition(headRepositoryId),
  prefix: "HEAD#",
});

/** The key of an open request among those from its head branch. */
export function fromKey({ repositoryId, number, headRepositoryId, head }: OpenPull): TableKey {
  const { pk, prefix } = openPullsFrom(headRepositoryId, head);
  return { pk, sk: `${prefix}${padded(repositoryId)}.${padded(number)}` };
}
type OpenPull = Pick<OpenPullRow, "repositoryId" | "number" | "headRepositoryId" | "head">;

/** The open requests that are merged once the checks of this commit succeed. */
export const scheduledPullsAt = (repositoryId: number, headId: ObjectId) => ({
  pk: pullsPartition(repositoryId),
  prefix: `SCHEDULED#${headId}#`,
});

/** The rows of an open request: by its pair, its base and its head, and its schedule. They go when it is closed. */
export function openPullRows({ repositoryId, number, pull }: PullRequest): OpenPullRow[] {
  const { base, headRepositoryId, head, headId, scheduledBy } = pull;
  const row = { repositoryId, number, base, headRepositoryId, head, _v: 1 } as const;
  const into = openPullsInto(repositoryId, pull.base);
  const at = scheduledPullsAt(repositoryId, headId);
  const scheduled = scheduledBy === undefined ? [] : [{ pk: at.pk, sk: at.prefix + padded(number), ...row }];
  return [
    { ...pairKey(repositoryId, pull), ...row },
    { pk: into.pk, sk: `${into.prefix}${padded(number)}`, ...row },
    { ...fromKey(row), ...row },
    ...scheduled,
  ];
}

/** The issue as it is when it is opened or closed: a merge that waits for checks is forgotten. */
export function withoutSchedule(issue: Issue): Issue {
  if (issue.pull?.scheduledBy === undefined) return issue;
  const { scheduledBy: _forgotten, ...pull } = issue.pull;
  return { ...issue, pull };
}

/** The writes that keep the rows with a request that is opened, closed, or given another base or head. */
export function pullRowWrites(before: Issue | undefined, after: Issue): Write[] {
  const rowsOf = (issue: Issue | undefined) =>
    issue !== undefined && isPullRequest(issue) && !issue.isClosed ? openPullRows(issue) : [];
  const [old, rows] = [rowsOf(before), rowsOf(after)];
  const isIn = (list: readonly OpenPullRow[], row: OpenPullRow) =>
    list.some((other) => keyText(other) === keyText(row));
  return [
    ...old.filter((row) => !isIn(rows, row)).map(({ pk, sk }) => remove({ pk, sk })),
    ...rows.filter((row) => !isIn(old, row)).map((row) => put(row, absent)),
  ];
}

/** Names the request that was merged by a commit. */
export interface MergedPullRow extends Item {
  readonly number: number;
  readonly _v: 1;
}
export const mergedPullKey = (repositoryId: number, commitId: ObjectId): TableKey => ({
  pk: pullsPartition(repositoryId),
  sk: `MERGED#${commitId}`,
});

/** Whether a base and a head can be merged, and how they differ: always true of these two commits. */
export interface Judgement extends Item {
  readonly baseId: ObjectId;
  readonly headId: ObjectId;
  /** As in `PullPart`. */
  readonly mergeBase: ObjectId;
  /** `empty`: the merge would change nothing; `unknown`: finding out took too long, and the numbers are 0. */
  readonly state: "mergeable" | "conflict" | "empty" | "unknown";
  /** Paths in conflict, raw bytes as latin1. */
  readonly conflicts: readonly string[];
  /** The two have a common commit. */
  readonly isRelated: boolean;
  /** Changed files, and lines: from the merge base to the head. */
  readonly files: number;
  readonly additions: number;
  readonly deletions: number;
  /** Whole seconds. */
  readonly judgedAt: number;
  readonly _v: 1;
}
export const judgementKey = (repositoryId: number, number: number): TableKey => ({
  pk: issuePartition(repositoryId, number),
  sk: "MERGEABLE",
});
