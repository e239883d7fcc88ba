import { padded } from "../ids.ts";
import { userPartition } from "../owner/owner.table.ts";
import { baseDigest, headDigest } from "../pull/branch-digest.ts";
import type { PullPart } from "../pull/pull.table.ts";
import { repositoryPartition } from "../repository/repository.table.ts";
import type { Item, TableKey } from "../table/write.ts";
import type { TextPlace } from "../word-index/word-index.table.ts";
import type { IssueEntry } from "./issue-entry.ts";

/** Issues and pulls share numbers, lists and comments; they differ in the unit whose rights count. */
export type IssueKind = "issue" | "pull";

/** An issue, or the part of a pull that is like an issue. Times are whole seconds; 0 stands for "never". */
export interface Issue extends Item {
  /** Unique in the instance; `number` is unique in the repository. */
  readonly id: number;
  readonly repositoryId: number;
  readonly number: number;
  readonly kind: IssueKind;
  readonly authorId: number;
  readonly title: string;
  readonly body: string;
  /** How often `body` was edited, as far as its history goes back; absent: never. */
  readonly edits?: number;
  /** A branch or tag that the issue is about; empty for none. */
  readonly ref: string;
  readonly isClosed: boolean;
  readonly isLocked: boolean;
  readonly labelIds: readonly number[];
  /** 0: none. */
  readonly milestoneId: number;
  readonly assigneeIds: readonly number[];
  /** Place among the pinned issues; 0: not pinned. */
  readonly pin: number;
  /** Plain comments alone. */
  readonly comments: number;
  /** Files on the issue itself, in the order of their upload; absent: none. */
  readonly attachmentIds?: readonly number[];
  readonly dueAt: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly closedAt: number;
  /** Of a pull request alone. */
  readonly pull?: PullPart;
  /** Edit version: the condition of the next write. */
  readonly v: number;
  readonly _v: 1;
}

/** One of a user's issues: created by them, assigned to them, or mentioning them. */
export interface UserIssueRow extends Item {
  readonly repositoryId: number;
  readonly number: number;
  readonly _v: 1;
}

/** The partition of an issue and everything that belongs to it. */
export const issuePartition = (repositoryId: number, number: number): string => `I#${repositoryId}.${number}`;
export const issueKey = (repositoryId: number, number: number): TableKey => ({
  pk: issuePartition(repositoryId, number),
  sk: "#",
});

/** A user's choice: to hear of an issue, or not to. */
export interface Subscription extends Item {
  readonly userId: number;
  readonly isSubscribed: boolean;
  readonly _v: 1;
}
export const subscriptionPrefix = "SUB#";
/** All choices about one issue, by user. */
export const subscriptionsOf = (repositoryId: number, number: number) => ({
  pk: issuePartition(repositoryId, number),
  prefix: subscriptionPrefix,
});
export const subscriptionKey = (repositoryId: number, number: number, userId: number): TableKey => ({
  pk: issuePartition(repositoryId, number),
  sk: `${subscriptionPrefix}${padded(userId)}`,
});

/** Marks a deleted issue some of whose content may still be there: nobody sees that. */
export interface IssueTombstone extends Item {
  readonly number: number;
  /** It was a pull request. */
  readonly isPull?: true;
  readonly _v: 1;
}
export const issueTombstonesOf = (repositoryId: number) => ({
  pk: repositoryPartition(repositoryId),
  prefix: "GONE#",
});
export const issueTombstoneKey = (repositoryId: number, number: number): TableKey => ({
  pk: repositoryPartition(repositoryId),
  sk: `GONE#${padded(number)}`,
});

/** The pinned issues and pulls of a repository, by number, each kind in its order. */
export interface Pins extends Item {
  readonly issue: readonly number[];
  readonly pull: readonly number[];
  /** Edit version: the condition of the next write. */
  readonly v: number;
  readonly _v: 1;
}
export const pinsKey = (repositoryId: number): TableKey => ({
  pk: repositoryPartition(repositoryId),
  sk: "PINS",
});

/** The place of the words of its title and body. */
export const issuePlace = ({ repositoryId, number }: Issue): TextPlace => ({
  repositoryId,
  number,
  commentId: 0,
});

/** Keys of the index `actor`: a purge finds everything that a user has written by them. */
export const authorKeys = (authorId: number, kind: string, key: TableKey): { a: string; as: string } => ({
  a: userPartition(authorId),
  as: `${kind}#${key.pk}#${key.sk}`,
});

/** The issues that a user created, and those assigned to them, by id. */
export const createdIssuesOf = (userId: number) => ({ pk: `${userPartition(userId)}#I`, prefix: "c#" });
export const assignedIssuesOf = (userId: number) => ({ pk: `${userPartition(userId)}#I`, prefix: "a#" });

/** The row of an issue among those that its author created. */
export const createdRow = (issue: Issue): UserIssueRow => userIssueRow(issue.authorId, "c", issue);
/** The row of an issue among those assigned to a user. */
export const assignedRow = (issue: Issue, userId: number): UserIssueRow => userIssueRow(userId, "a", issue);

function userIssueRow(userId: number, kind: string, { id, repositoryId, number }: Issue): UserIssueRow {
  return { pk: `${userPartition(userId)}#I`, sk: `${kind}#${padded(id)}`, repositoryId, number, _v: 1 };
}

/** The issue's entry in the repository's list index. */
export function indexEntry(issue: Issue): IssueEntry {
  return {
    isPull: issue.kind === "pull",
    isClosed: issue.isClosed,
    isMerged: issue.pull?.merge !== undefined,
    isDraft: issue.pull?.isDraft === true,
    isLocked: issue.isLocked,
    authorId: issue.authorId,
    milestoneId: issue.milestoneId,
    labelIds: issue.labelIds,
    assigneeIds: issue.assigneeIds,
    pin: issue.pin,
    comments: issue.comments,
    createdAt: issue.createdAt,
    updatedAt: issue.updatedAt,
    deadline: issue.dueAt,
    ...(issue.pull === undefined
      ? {}
      : { branches: Buffer.concat([baseDigest(issue.pull.base), headDigest(issue.pull)]) }),
  };
}
