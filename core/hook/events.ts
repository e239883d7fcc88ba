import type { QueueMessage } from "../events/queue-message.ts";

/**
 * The events that nouns put into the outbox, in their transactions, for the queue `repository-events`: ids only, never
 * payloads (D-TEXT). `at` is the time of the change in milliseconds. Texts that a change overwrote travel as an
 * `EventDetail`.
 */
export type RepositoryEvent =
  | PushEvent
  | StatusEvent
  | IssueEvent
  | IssueCommentEvent
  | ReviewEvent
  | WikiEvent
  | ReleaseEvent
  | RepositoryCreatedEvent
  | RepositoryForkedEvent
  | RepositoryDeletedEvent
  | HookTestEvent;

type Origin = {
  readonly repositoryId: number;
  readonly actorId: number;
  readonly at: number;
};

/** Refs moved: one push, however many refs. The changes are read from the ref log. */
export type PushEvent = Origin & {
  readonly kind: "push";
  /** The version of the refs that this push made (ROOT's `v`). */
  readonly version: number;
  /** The pushing token is limited to public things: its commits change nothing in private repositories. */
  readonly isPublicOnly?: true;
  /** A branch got another name, by short names: the push deleted the old one. */
  readonly renamed?: { readonly from: string; readonly to: string };
};

/** The actions on issues (semantics §27.4). */
export const issueActions = [
  "opened",
  "edited",
  "closed",
  "reopened",
  "label_updated",
  "label_cleared",
  "milestoned",
  "demilestoned",
  "assigned",
  "unassigned",
  "synchronized",
] as const;
export type IssueAction = (typeof issueActions)[number];

/**
 * A check reported on a commit: no hook hears of it (semantics §27.4); merges that wait for checks will, those behind
 * the key `after` when the first of many have heard.
 */
export type StatusEvent = Origin & {
  readonly kind: "status";
  readonly commitId: string;
  readonly after?: string;
};

/** Something happened to an issue. */
export type IssueEvent = Origin & {
  readonly kind: "issue";
  readonly action: IssueAction;
  readonly index: number;
  /** The commit that closed or reopened it, if one did. */
  readonly commitId?: string;
  /** Of `assigned`: the users who were not assigned to it before. */
  readonly assigneeIds?: readonly number[];
  /** Of `assigned`: it was opened so. */
  readonly isOpening?: true;
  /** Whose doing it is, when it is done in the name of the actor (`Actor.causerId`). */
  readonly causerId?: number;
};

/** A comment on an issue was written, rewritten or removed. */
export type IssueCommentEvent = Origin & {
  readonly kind: "issue-comment";
  readonly action: "created" | "edited" | "deleted";
  readonly index: number;
  readonly commentId: number;
};

/**
 * The actions on reviews of pull requests (semantics §27.3): a submitted one by its verdict, or a request for one. Of
 * dismissals and removals no hook hears.
 */
export const reviewActions = [
  "approved",
  "rejected",
  "comment",
  "requested",
  "request_removed",
  "dismissed",
  "undismissed",
  "removed",
] as const;
export type ReviewAction = (typeof reviewActions)[number];

/** A pull request was reviewed, or somebody was asked for a review, or is no longer asked. */
export type ReviewEvent = Origin & {
  readonly kind: "review";
  readonly action: ReviewAction;
  /** The pull request's number. */
  readonly index: number;
  readonly reviewId: number;
  /** Of a request the asked user, or the team: its review is gone once it is removed. */
  readonly reviewerId?: number;
  readonly teamId?: number;
};

/** The actions on pages of a wiki. */
export const wikiActions = ["created", "edited", "deleted"] as const;
export type WikiAction = (typeof wikiActions)[number];

/**
 * A page of the wiki was written or removed through the API: its title and the commit's message are the `EventDetail`.
 */
export type WikiEvent = Origin & { readonly kind: "wiki"; readonly action: WikiAction };

/** The actions on releases that are no drafts (semantics §43.3). */
export const releaseActions = ["published", "updated", "deleted"] as const;
export type ReleaseAction = (typeof releaseActions)[number];

/** A release was published, changed or removed; a removed one is the `EventDetail`. */
export type ReleaseEvent = Origin & {
  readonly kind: "release";
  readonly action: ReleaseAction;
  /** Its number in the repository. */
  readonly number: number;
};

export type RepositoryCreatedEvent = Origin & { readonly kind: "repository-created" };

/** The repository was forked; hooks of the source hear of it. */
export type RepositoryForkedEvent = Origin & {
  readonly kind: "repository-forked";
  readonly forkId: number;
};

/**
 * The repository is marked as deleting; its items are still there until the job, started after this event, removes
 * them.
 */
export type RepositoryDeletedEvent = Origin & {
  readonly kind: "repository-deleted";
  /** The job to start once the hooks have been told: send this event instead of the job's own message. */
  readonly jobId?: string;
};

/** Somebody asked for a test delivery of one hook (semantics §27.9). */
export type HookTestEvent = Origin & {
  readonly kind: "hook-test";
  readonly hookId: number;
  /** Full name, for instance refs/heads/main. */
  readonly ref: string;
  readonly commitId: string;
};

/** A version of a package came or went: hooks of its owner hear of it, and those of the repository that it belongs to. */
export interface PackageEvent {
  readonly kind: "package";
  readonly action: "created" | "deleted";
  readonly ownerId: number;
  readonly repositoryId?: number;
  /** The version's number at its owner; a removed one is the `EventDetail`. */
  readonly number: number;
  readonly actorId: number;
  readonly at: number;
}

/** The same of a package. */
export const packageEvent = (event: PackageEvent): QueueMessage => ({ ...event });

/** An event as a message for the outbox: the only place where its members are checked. */
export const repositoryEvent = (event: RepositoryEvent): QueueMessage => event;
