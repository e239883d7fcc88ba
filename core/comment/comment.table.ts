import { padded } from "../ids.ts";
import { authorKeys, type Issue, type IssueKind, issuePartition } from "../issue/issue.table.ts";
import type { ReferenceAction } from "../reference/find-references.ts";
import { repositoryPartition } from "../repository/repository.table.ts";
import type { Item, TableKey } from "../table/write.ts";
import type { TextPlace } from "../word-index/word-index.table.ts";

/** The kinds of timeline entries. Comments are entries of type `comment`; the service writes the others. */
export type EntryType =
  | "comment"
  | "close"
  | "reopen"
  | "change_title"
  | "change_issue_ref"
  | "label"
  | "milestone"
  | "assignees"
  | "added_deadline"
  | "modified_deadline"
  | "removed_deadline"
  | "lock"
  | "unlock"
  | "issue_ref"
  | "pull_ref"
  | "comment_ref"
  | "commit_ref"
  | "pin"
  | "unpin"
  | "add_dependency"
  | "remove_dependency"
  | "start_tracking"
  | "stop_tracking"
  | "cancel_tracking"
  | "add_time_manual"
  | "delete_time_manual"
  | "change_target_branch"
  | "pull_push"
  | "merge_pull"
  | "pull_scheduled_merge"
  | "pull_cancel_scheduled_merge"
  | "delete_branch"
  | "code"
  | "review"
  | "dismiss_review"
  | "review_request";

/** The tracked time that an entry shows, as it was then: it may be gone since. */
export interface EntryTime {
  readonly id: number;
  readonly userId: number;
  readonly seconds: number;
  readonly createdAt: number;
}

/** The place of a comment on a line of a pull request's change. */
export interface CodePlace {
  /** As the client named it, in UTF-8. */
  readonly path: string;
  /** The line lies in the file before the change, or after it. */
  readonly side: "old" | "new";
  /** Counts from 1. */
  readonly line: number;
  /** The head that the comment is about. */
  readonly commitId: string;
  /** Of a line after the change the commit that last changed it, where that is another. */
  readonly lineCommitId?: string;
  /** The end of the diff's hunk up to the line; empty when the change doesn't touch the file. */
  readonly hunk: string;
  /** Who resolved the conversation; absent: nobody. */
  readonly resolverId?: number;
}

/** The effect of a reference on the issue that it names (semantics §20.2). */
export type RefAction = ReferenceAction | "neutered";

/** Another issue or pull that an entry is about. */
export interface RelatedIssue {
  readonly repositoryId: number;
  readonly number: number;
  readonly kind: IssueKind;
  /** The entry is a reference from there: callers who may not read that place don't see the entry (semantics §48). */
  readonly isReference?: true;
}

/** One entry of an issue's timeline. Times are whole seconds. */
export interface TimelineEntry extends Item {
  /** Unique in the instance and increasing, so entries lie in the order of their creation. */
  readonly id: number;
  readonly type: EntryType;
  readonly repositoryId: number;
  readonly issueNumber: number;
  readonly issueKind: IssueKind;
  readonly authorId: number;
  /** A comment's text. Of other types what the type says, such as the reason of a lock. */
  readonly body: string;
  /** How often a comment's text was edited, as far as its history goes back; absent: never. */
  readonly edits?: number;
  readonly oldTitle?: string;
  readonly newTitle?: string;
  readonly oldRef?: string;
  readonly newRef?: string;
  /** The label was added when the body is "1", removed when it is empty. */
  readonly labelId?: number;
  /** 0: none. */
  readonly oldMilestoneId?: number;
  readonly milestoneId?: number;
  readonly assigneeId?: number;
  /** The assignee was removed. */
  readonly isRemoval?: boolean;
  readonly related?: RelatedIssue;
  readonly time?: EntryTime;
  /** The comment that refers to the issue. */
  readonly relatedCommentId?: number;
  /** The effect of a reference; neutered: its text no longer holds it. */
  readonly refAction?: RefAction;
  /** The merge of the pull request that refers to the issue has done this to it. */
  readonly isSettled?: true;
  /**
   * The commit that refers to the issue, or closed or reopened it. Callers who may not read the code there don't see
   * it.
   */
  readonly commit?: { readonly repositoryId: number; readonly id: string };
  /** The review that the entry tells of or belongs to. */
  readonly reviewId?: number;
  /** The team that was asked for a review. */
  readonly teamId?: number;
  /** Of entries of type `code`. */
  readonly code?: CodePlace;
  /** Files on a comment, in the order of their upload; absent: none. */
  readonly attachmentIds?: readonly number[];
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Edit version: the condition of the next write. */
  readonly v: number;
  readonly _v: 1;
}

/** A comment that somebody wrote. */
export type Comment = TimelineEntry & { readonly type: "comment" };

/** Finds an entry by its id within its repository, and holds what lists of a repository's comments need. */
export interface EntryRow extends Item {
  readonly id: number;
  readonly issueNumber: number;
  readonly issueKind: IssueKind;
  /** Whether it is a comment. */
  readonly isPlain: boolean;
  /** Set by each reaction, so that a removal of the comment at the same time looks again. */
  readonly hasReactions?: true;
  readonly updatedAt: number;
  readonly _v: 1;
}

/** Sort keys of an issue's timeline begin with this. */
export const entryPrefix = "C#";

/** How many entries are asked for at first: more than most issues have. */
export const firstEntries = 100;

export const entryKey = (repositoryId: number, issueNumber: number, id: number): TableKey => ({
  pk: issuePartition(repositoryId, issueNumber),
  sk: `${entryPrefix}${padded(id)}`,
});
/** The place of the rows of a repository's timeline entries, in the order of their ids. */
export const entryRowsPartition = (repositoryId: number): string => `${repositoryPartition(repositoryId)}#C`;
export const entryRowKey = (repositoryId: number, id: number): TableKey => ({
  pk: entryRowsPartition(repositoryId),
  sk: padded(id),
});

/** The place of a comment's words. */
export const commentPlace = ({ repositoryId, issueNumber, id }: TimelineEntry): TextPlace => ({
  repositoryId,
  number: issueNumber,
  commentId: id,
});

/** The particulars of an entry; the rest follows from its issue. */
export type NewEntry = Pick<TimelineEntry, "id" | "type" | "authorId" | "createdAt"> &
  Partial<
    Pick<
      TimelineEntry,
      | "body"
      | "oldTitle"
      | "newTitle"
      | "oldRef"
      | "newRef"
      | "labelId"
      | "oldMilestoneId"
      | "milestoneId"
      | "assigneeId"
      | "isRemoval"
      | "related"
      | "time"
      | "relatedCommentId"
      | "refAction"
      | "commit"
      | "reviewId"
      | "teamId"
      | "code"
    >
  >;

/** A new entry of an issue's timeline. */
export function newEntry(issue: Issue, given: NewEntry): TimelineEntry {
  const key = entryKey(issue.repositoryId, issue.number, given.id);
  return {
    ...key,
    ...authorKeys(given.authorId, given.type === "comment" ? "comment" : "entry", key),
    body: "",
    ...given,
    repositoryId: issue.repositoryId,
    issueNumber: issue.number,
    issueKind: issue.kind,
    updatedAt: given.createdAt,
    v: 1,
    _v: 1,
  };
}

/** The row of an entry. */
export const rowOf = (entry: TimelineEntry): EntryRow => ({
  ...entryRowKey(entry.repositoryId, entry.id),
  id: entry.id,
  issueNumber: entry.issueNumber,
  issueKind: entry.issueKind,
  isPlain: entry.type === "comment",
  updatedAt: entry.updatedAt,
  _v: 1,
});
