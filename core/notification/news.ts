import { type OutboxEntry, outbox } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { type NewJob, startJob } from "../jobs/job.ts";
import type { PendingTransfer } from "../repository/repository.table.ts";

/** The kind of the message that holds news no event tells of. */
export const newsKind = "news";

/** The kind of the job that removes what the recipient of a rejected repository was told. */
export const forgettingOfferKind = "forget-offer";

/**
 * Something to tell people of: what happened where, by whom and when (milliseconds). It is about the repository itself
 * when there is no number. Plain values: it waits in jobs and messages.
 */
export interface News {
  readonly repositoryId: number;
  readonly number?: number;
  readonly actorId: number;
  /** Whose doing it is, when it was done in the name of the actor (`Actor.causerId`). */
  readonly causerId?: number;
  readonly at: number;
  readonly commentId?: number;
  /** The number of a release that was published; only mails tell of releases. */
  readonly releaseNumber?: number;
  /** What happened, for mails; absent where the other members tell it. */
  readonly what?: "closed" | "reopened" | "assigned" | "reviewed" | "asked";
  readonly reviewId?: number;
  /** These are the first news of the issue. */
  readonly isFirst?: true;
  /** A text mentions the users; if it is a comment, others may have told of it already. */
  readonly isMention?: true;
  /** The only users to tell; absent: everybody who hears of the issue. */
  readonly userIds?: readonly number[];
  /** The only ones to tell are the members of this team. */
  readonly teamId?: number;
  /** The only ones to tell are those who may create repositories in this organization. */
  readonly organizationId?: number;
}

/** News for the transaction that makes them; hand it to `send` afterwards. */
export const newsEntry = (forge: Forge, news: News): OutboxEntry =>
  outbox(forge, "repository-events", { kind: newsKind, ...news });

/** The offer of a repository that was rejected. */
export interface EndedOffer extends Pick<PendingTransfer, "recipientId" | "recipientKind"> {
  readonly repositoryId: number;
}

/** The job that takes the news of an offer back: for the transaction that ends the offer. */
export const newsWithdrawal = (
  forge: Forge,
  { repositoryId, recipientId, recipientKind }: EndedOffer,
): NewJob => startJob(forge, forgettingOfferKind, { repositoryId, recipientId, recipientKind });
