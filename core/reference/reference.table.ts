import { padded } from "../ids.ts";
import { type Issue, issuePartition, type UserIssueRow } from "../issue/issue.table.ts";
import { userPartition } from "../owner/owner.table.ts";
import type { ReferenceAction } from "../references.ts";
import type { Item, TableKey } from "../table/write.ts";

/** A text that may name issues and users: a comment, or the title and body of an issue itself (comment 0). */
export interface TextSource {
  readonly repositoryId: number;
  readonly number: number;
  readonly commentId: number;
}

/** An issue or pull that a text names, and the entry that tells of it in the timeline there. */
export interface TextReference {
  readonly repositoryId: number;
  readonly number: number;
  /** As written; whether it is ever carried out the entry says. */
  readonly action: ReferenceAction;
  readonly entryId: number;
}

/** What a text refers to. */
export interface TextReferences extends Item {
  readonly references: readonly TextReference[];
  /** Edit version: the condition of the next write. */
  readonly v: number;
  readonly _v: 1;
}

/** Sort keys of what the texts of an issue refer to begin with this. */
export const textReferencesPrefix = "X#";
export const textReferencesKey = ({ repositoryId, number, commentId }: TextSource): TableKey => ({
  pk: issuePartition(repositoryId, number),
  sk: `${textReferencesPrefix}${padded(commentId)}`,
});

/** Says at an issue that somebody is mentioned in it: the mirror of the row among his issues. */
export interface Mention extends Item {
  readonly userId: number;
  readonly _v: 1;
}

/** Sort keys of mentions begin with this. */
export const mentionPrefix = "MENTION#";
export const mentionKey = (repositoryId: number, number: number, userId: number): TableKey => ({
  pk: issuePartition(repositoryId, number),
  sk: `${mentionPrefix}${padded(userId)}`,
});

type IssueNumber = Pick<Issue, "repositoryId" | "number">;

/** The row of an issue among those that a user is mentioned in, which lie by repository. */
export const mentionedRow = (userId: number, { repositoryId, number }: IssueNumber): UserIssueRow => ({
  pk: `${userPartition(userId)}#I`,
  sk: `m#${padded(repositoryId)}#${padded(number)}`,
  repositoryId,
  number,
  _v: 1,
});
/** The issues that mention a user: all, or those of a repository. */
export const mentionedIssuesOf = (userId: number, repositoryId?: number) => ({
  pk: `${userPartition(userId)}#I`,
  prefix: repositoryId === undefined ? "m#" : `m#${padded(repositoryId)}#`,
});
