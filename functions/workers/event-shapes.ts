import { z } from "zod";
import type { RepositoryMoved } from "#core/activity/moved";
import {
  issueActions,
  type RepositoryEvent,
  releaseActions,
  reviewActions,
  wikiActions,
} from "#core/hook/events";
import type { SettleMessage } from "#core/issue/references/settle-references";
import type { News } from "#core/notification/news";
import type { AfterMergeMessage } from "#core/pull/merge/after-merge";

/** Events of one kind as they come from the queue. */
export type EventOf<Kind extends RepositoryEvent["kind"]> = Extract<RepositoryEvent, { kind: Kind }> & {
  readonly eventId: string;
};
type Shapes = { readonly [Kind in RepositoryEvent["kind"]]: z.ZodType<EventOf<Kind>> };

const origin = { eventId: z.string(), repositoryId: z.int(), actorId: z.int(), at: z.number() };

/** A text whose references must be settled. */
export const settleShape: z.ZodType<SettleMessage> = z.object({
  kind: z.literal("settle-references"),
  eventId: z.string(),
  repositoryId: z.int(),
  number: z.int(),
  commentId: z.int(),
  userId: z.int(),
  isPublicOnly: z.boolean(),
  at: z.int(),
  isDated: z.boolean(),
  digest: z.string(),
  newNames: z.array(z.string()).exactOptional(),
});

/** A merged request with work left. */
export const afterMergeShape: z.ZodType<AfterMergeMessage> = z.object({
  kind: z.literal("after-merge"),
  eventId: z.string(),
  repositoryId: z.int(),
  number: z.int(),
  mergerId: z.int(),
  causerId: z.int().exactOptional(),
  commitId: z.string(),
  deletesBranch: z.boolean(),
});

/** News that no event tells of: the users whom a text mentions, and to whom a repository is offered. */
export const newsShape: z.ZodType<News & { readonly eventId: string }> = z.object({
  eventId: z.string(),
  repositoryId: z.int(),
  number: z.int().exactOptional(),
  actorId: z.int(),
  at: z.number(),
  commentId: z.int().exactOptional(),
  isMention: z.literal(true).exactOptional(),
  userIds: z.array(z.int()).exactOptional(),
  organizationId: z.int().exactOptional(),
});

/** A repository's new name or owner. */
export const movedShape: z.ZodType<RepositoryMoved & { readonly eventId: string }> = z.object({
  ...origin,
  name: z.string(),
  formerOwnerId: z.int().exactOptional(),
});

/** The members of a message of each kind; the types of core/hook/events.ts, checked at the queue's end. */
export const eventShapes: Shapes = {
  push: z.object({
    ...origin,
    kind: z.literal("push"),
    version: z.int(),
    isPublicOnly: z.literal(true).exactOptional(),
    renamed: z.object({ from: z.string(), to: z.string() }).exactOptional(),
  }),
  status: z.object({
    ...origin,
    kind: z.literal("status"),
    commitId: z.string(),
    after: z.string().exactOptional(),
  }),
  issue: z.object({
    ...origin,
    kind: z.literal("issue"),
    action: z.enum(issueActions),
    index: z.int(),
    commitId: z.string().exactOptional(),
    assigneeIds: z.array(z.int()).exactOptional(),
    isOpening: z.literal(true).exactOptional(),
    causerId: z.int().exactOptional(),
  }),
  "issue-comment": z.object({
    ...origin,
    kind: z.literal("issue-comment"),
    action: z.enum(["created", "edited", "deleted"]),
    index: z.int(),
    commentId: z.int(),
  }),
  review: z.object({
    ...origin,
    kind: z.literal("review"),
    action: z.enum(reviewActions),
    index: z.int(),
    reviewId: z.int(),
    reviewerId: z.int().exactOptional(),
    teamId: z.int().exactOptional(),
  }),
  wiki: z.object({ ...origin, kind: z.literal("wiki"), action: z.enum(wikiActions) }),
  release: z.object({
    ...origin,
    kind: z.literal("release"),
    action: z.enum(releaseActions),
    number: z.int(),
  }),
  "repository-created": z.object({ ...origin, kind: z.literal("repository-created") }),
  "repository-forked": z.object({ ...origin, kind: z.literal("repository-forked"), forkId: z.int() }),
  "repository-deleted": z.object({
    ...origin,
    kind: z.literal("repository-deleted"),
    jobId: z.string().exactOptional(),
  }),
  "hook-test": z.object({
    ...origin,
    kind: z.literal("hook-test"),
    hookId: z.int(),
    ref: z.string(),
    commitId: z.string(),
  }),
};
