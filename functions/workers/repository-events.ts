import { randomUUID } from "node:crypto";
import { z } from "zod";
import { type RepositoryMoved, repositoryMovedKind } from "#core/activity/moved";
import { cronTaskMessageKind } from "#core/cron-task/cron-task";
import { defined } from "#core/defined";
import { send } from "#core/events/outbox";
import type { Forge } from "#core/forge";
import type { RepositoryEvent } from "#core/hook/events";
import { issueKey } from "#core/issue/issue.table";
import { type SettleMessage, settleReferences } from "#core/issue/references/settle-references";
import { jobMessage } from "#core/jobs/job";
import { recountLanguages } from "#core/language/recount";
import { type News, newsKind } from "#core/notification/news";
import { pusherById } from "#core/pull/follow/follow-jobs";
import { dismissApprovals } from "#core/pull/follow/head-move";
import type { AfterMergeMessage } from "#core/pull/merge/after-merge";
import type { PullRequest } from "#core/pull/pull.table";
import { noteRepositoryActivity } from "#core/repository/listing/index-writes";
import { findUserById } from "#core/user/find";
import { compactRepository, compactText } from "#core/word-index/compaction";
import { compactionMessage } from "#core/word-index/word-index";
import { onLinkedForge } from "../linked-forge.ts";
import { actionsWork } from "./actions.ts";
import { cronTaskWork } from "./cron-tasks.ts";
import {
  afterMergeShape,
  type EventOf,
  eventShapes,
  movedShape,
  newsShape,
  settleShape,
} from "./event-shapes.ts";
import { jobKinds } from "./job-kinds.ts";
import { jobWork } from "./jobs.ts";
import { notifyHooks } from "./notify-hooks.ts";
import { packageWork } from "./notify-of-package.ts";
import { notifyUsers } from "./notify-users.ts";
import { pushWork } from "./push-event.ts";
import { createWorker, type MessageWork, usualLeaseSeconds } from "./worker.ts";

/** The function's own time is 5 minutes: a run of a job ends well before. */
const jobBudgetMs = 180_000;

/** The most work of one message: minutes at the most. */
const mostTextsCompacted = 1_000;

type Follow<Event> = (forge: Forge, event: Event) => Promise<void>;

/** The code that starts workflows is loaded with the first event that they may listen to. */
async function startWorkflowsOf(
  forge: Forge,
  event: RepositoryEvent & { readonly eventId: string },
): Promise<void> {
  const { startWorkflows } = await import("./workflows/start-workflows.ts");
  await startWorkflows(forge, event);
}

/** Writes down for feeds what was done; the code is loaded with the first event that they may tell of. */
async function noteActivityOf(
  forge: Forge,
  event: RepositoryEvent & { readonly eventId: string },
): Promise<void> {
  if (event.kind === "issue" && !/^(opened|closed|reopened)$/.test(event.action)) return;
  const { noteActivity } = await import("./note-activities.ts");
  await noteActivity(forge, event);
}

/** Notifies hooks and users, notes it for feeds, does what this kind of event has besides, and starts workflows. */
function eventWork<Kind extends RepositoryEvent["kind"]>(
  shape: z.ZodType<EventOf<Kind>>,
  follow: Follow<EventOf<Kind>> = async () => undefined,
): MessageWork<EventOf<Kind>> {
  return {
    shape,
    leaseSeconds: usualLeaseSeconds,
    async work(forge, event) {
      await notifyHooks(forge, event);
      await notifyUsers(forge, event);
      await noteActivityOf(forge, event);
      await follow(forge, event);
      await startWorkflowsOf(forge, event);
      return undefined;
    },
  };
}

const followIssue: Follow<EventOf<"issue">> = async (forge, event) => {
  const { action, repositoryId, index: number } = event;
  const hasNewText = action === "opened" || action === "edited";
  if (hasNewText) await compactText(forge, { repositoryId, number, commentId: 0 });
  if (action === "synchronized") await followHead(forge, event);
};

/**
 * A request has a new head. The process that moved it may have stopped before it dismissed approvals; and a head that
 * came late may have passed the checks that a scheduled merge waits for.
 */
const followHead: Follow<EventOf<"issue">> = async (forge, { repositoryId, index: number, actorId }) => {
  const pull = await forge.table.get<PullRequest>(issueKey(repositoryId, number));
  if (pull !== undefined) await dismissApprovals(forge, pull, await pusherById(forge, actorId));
  const { tryScheduledMerge } = await import("#core/pull/merge/schedule"); // few events need it
  await tryScheduledMerge(forge, { repositoryId, number });
};

const followComment: Follow<EventOf<"issue-comment">> = (forge, { repositoryId, index, commentId }) =>
  compactText(forge, { repositoryId, number: index, commentId });

/** Compacts the waiting words of a repository, after a search that saw many of them. */
const compactionWork: MessageWork<{ readonly repositoryId: number }> = {
  shape: z.object({ repositoryId: z.int() }),
  leaseSeconds: usualLeaseSeconds,
  async work(forge, { repositoryId }) {
    const isMoreLeft = await compactRepository(forge, repositoryId, mostTextsCompacted);
    if (isMoreLeft) await send(forge, [compactionMessage(repositoryId)]);
    return undefined;
  },
};

/** A count by which lists sort has changed. May be repeated. */
const activityWork: MessageWork<{ readonly repositoryId: number }> = {
  shape: z.object({ repositoryId: z.int() }),
  async work(forge, { repositoryId }) {
    await noteRepositoryActivity(forge, repositoryId);
    return undefined;
  },
};

/** Tells issues that a text names them, when the request that wrote the text stopped before that. May be repeated. */
const settleWork: MessageWork<SettleMessage> = {
  shape: settleShape,
  async work(forge, message) {
    await settleReferences(forge, message);
    return undefined;
  },
};

/** Tells users what no event tells of. May be repeated. */
const newsWork: MessageWork<News & { readonly eventId: string }> = {
  shape: newsShape,
  leaseSeconds: usualLeaseSeconds,
  async work(forge, { eventId, ...news }) {
    const { spreadNews } = await import("#core/notification/spread"); // few messages need it
    await spreadNews(forge, news, eventId);
    return undefined;
  },
};

/** Feeds tell of a repository's new name or owner. May be repeated. */
const movedWork: MessageWork<RepositoryMoved & { readonly eventId: string }> = {
  shape: movedShape,
  leaseSeconds: usualLeaseSeconds,
  async work(forge, moved) {
    const { noteMove } = await import("./note-activities.ts"); // few messages need it
    await noteMove(forge, moved);
    return undefined;
  },
};

/** The default branch has changed. May be repeated. */
const languageWork: MessageWork<{ readonly repositoryId: number }> = {
  shape: z.object({ repositoryId: z.int() }),
  leaseSeconds: usualLeaseSeconds,
  async work(forge, { repositoryId }) {
    await recountLanguages(forge, repositoryId);
    return undefined;
  },
};

/** Merges the requests that waited for this check, a few for each message. May be repeated. */
const statusWork: MessageWork<EventOf<"status">> = {
  shape: eventShapes.status,
  leaseSeconds: usualLeaseSeconds,
  async work(forge, event) {
    const { mergeScheduledAt } = await import("#core/pull/merge/schedule"); // few checks need it
    const lastSeen = await mergeScheduledAt(forge, event, event.after);
    if (lastSeen === undefined) return undefined;
    const message = { ...event, after: lastSeen, eventId: randomUUID() };
    await send(forge, [{ queue: "repository-events", message }]);
    return undefined;
  },
};

/** A scheduled merge may have waited for this review, or for one to count or be asked for no more. */
const mergeReviewed: Follow<EventOf<"review">> = async (forge, { action, repositoryId, index: number }) => {
  if (action === "rejected" || action === "requested") return;
  const { tryScheduledMerge } = await import("#core/pull/merge/schedule"); // few reviews need it
  await tryScheduledMerge(forge, { repositoryId, number }, { isApproved: action !== "comment" });
};

/** Does what follows a merge and the caller did not wait for. May be repeated. */
const afterMergeWork: MessageWork<AfterMergeMessage> = {
  shape: afterMergeShape,
  leaseSeconds: usualLeaseSeconds,
  async work(forge, message) {
    const user = await findUserById(forge, message.mergerId);
    if (user?.isActive !== true) return undefined;
    const { afterMerge } = await import("#core/pull/merge/after-merge"); // few messages need it
    await afterMerge(forge, message, { user, ...defined({ causerId: message.causerId }) });
    return undefined;
  },
};

/** Hooks are notified first: the job that the event starts removes the subject. */
const deletedWork: MessageWork<EventOf<"repository-deleted">> = {
  shape: eventShapes["repository-deleted"],
  leaseSeconds: usualLeaseSeconds,
  async work(forge, event) {
    await notifyHooks(forge, event);
    if (event.jobId !== undefined) await send(forge, [jobMessage({ id: event.jobId })]);
    return undefined;
  },
};

/** Works on a batch of the queue `repository-events`. */
export const repositoryEventsWorker = createWorker("repository-events", {
  push: pushWork,
  issue: eventWork(eventShapes.issue, followIssue),
  "issue-comment": eventWork(eventShapes["issue-comment"], followComment),
  review: eventWork(eventShapes.review, mergeReviewed),
  wiki: eventWork(eventShapes.wiki),
  release: eventWork(eventShapes.release),
  "compact-words": compactionWork,
  "settle-references": settleWork,
  "note-activity": activityWork,
  "recount-languages": languageWork,
  status: statusWork,
  [newsKind]: newsWork,
  [repositoryMovedKind]: movedWork,
  "after-merge": afterMergeWork,
  "repository-created": eventWork(eventShapes["repository-created"]),
  "repository-forked": eventWork(eventShapes["repository-forked"], async (forge, event) => {
    await noteRepositoryActivity(forge, event.repositoryId);
    await noteRepositoryActivity(forge, event.forkId);
    await recountLanguages(forge, event.forkId);
  }),
  "repository-deleted": deletedWork,
  package: packageWork,
  ...actionsWork,
  "hook-test": eventWork(eventShapes["hook-test"]),
  [cronTaskMessageKind]: cronTaskWork,
  job: jobWork(jobKinds, jobBudgetMs),
});

/** The function behind the queue `repository-events`. */
export const handler = onLinkedForge(repositoryEventsWorker);
