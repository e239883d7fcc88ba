import { padded } from "../ids.ts";
import { type Issue, issuePartition, type UserIssueRow } from "../issue/issue.table.ts";
import { userPartition } from "../owner/owner.table.ts";
import type { Item, TableKey } from "../table/write.ts";
import type { ReferenceAction } from "./find-references.ts";

/** A text that may name issues and users: a comment, or the title and body of an issue itself (comment 0). */
export interface TextSource {
  readonly repositoryId: number;
  readonly number: number;
  readonly commentId: number;
}

/** An issue or pull that a text names, and the timeline entry there about it. */
export interface TextReference {
  readonly repositoryId: number;
  readonly number: number;
  /** As written; the entry says whether it is ever carried out. */
  readonly action: ReferenceAction;
  readonly entryId: number;
}

/** The references of a text. */
export interface TextReferences extends Item {
  readonly references: readonly TextReference[];
  /** Edit version: the condition of the next write. */
  readonly v: number;
  readonly _v: 1;
}

/** The beginning of the sort keys of references from an issue's texts. */
export const textReferencesPrefix = "X#";
export const textReferencesKey = ({ repositoryId, number, commentId }: TextSource): TableKey => ({
  pk: issuePartition(repositoryId, number),
  sk: `${textReferencesPrefix}${padded(commentId)}`,
});

/** Says at an issue that it mentions a user: the mirror of the row among the user's issues. */
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

/** The row of an issue among those that mention a user, which lie by repository. */
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
