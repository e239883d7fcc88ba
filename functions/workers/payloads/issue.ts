import { type Comment, entryKey } from "#core/comment/comment.table";
import type { Forge } from "#core/forge";
import type { Notice } from "#core/hook/announce";
import { findEventDetail } from "#core/hook/event-detail";
import type { EventType } from "#core/hook/event-types";
import type { IssueAction, IssueCommentEvent, IssueEvent } from "#core/hook/events";
import { type Issue, issueKey } from "#core/issue/issue.table";
import { showComment } from "../../api/comment/show.ts";
import { showIssue } from "../../api/issue/show.ts";
import { presentRepository } from "../../api/repository/present.ts";
import type { Subject } from "./subject.ts";

type Identified<Event> = Event & { readonly eventId: string };

/** The event types of actions that have one of their own. */
const typeOf: Partial<Record<IssueAction, EventType>> = {
  label_updated: "issue_label",
  label_cleared: "issue_label",
  milestoned: "issue_milestone",
  demilestoned: "issue_milestone",
  assigned: "issue_assign",
  unassigned: "issue_assign",
};

/** The notice about an issue for hooks, which show it as it is now; none when it is gone. */
export async function issueNotice(
  forge: Forge,
  event: Identified<IssueEvent>,
  { view, details, sender }: Subject,
): Promise<Notice[]> {
  const issue = await forge.table.get<Issue>(issueKey(event.repositoryId, event.index));
  if (issue === undefined) return [];
  const payload = {
    action: event.action,
    number: issue.number,
    ...(event.action === "edited" ? await changesOf(forge, event.eventId) : {}),
    issue: await showIssue(forge, view, details, issue),
    repository: presentRepository(view, details),
    sender,
    commit_id: event.commitId ?? "",
  };
  return [{ eventType: typeOf[event.action] ?? "issues", what: event.action, payloadFor: () => payload }];
}

/**
 * The notice about a comment on an issue for hooks, both as they are now, or as it was at its end; none when one of
 * them is gone.
 */
export async function issueCommentNotice(
  forge: Forge,
  event: Identified<IssueCommentEvent>,
  { view, details, sender }: Subject,
): Promise<Notice[]> {
  const [issue, comment] = await Promise.all([
    forge.table.get<Issue>(issueKey(event.repositoryId, event.index)),
    event.action === "deleted"
      ? removedComment(forge, event.eventId)
      : forge.table.get<Comment>(entryKey(event.repositoryId, event.index, event.commentId)),
  ]);
  if (issue === undefined || comment === undefined) return [];
  const payload = {
    action: event.action,
    issue: await showIssue(forge, view, details, issue),
    comment: await showComment(forge, view, details, comment),
    ...(event.action === "edited" ? await changesOf(forge, event.eventId) : {}),
    repository: presentRepository(view, details),
    sender,
    is_pull: false,
  };
  return [{ eventType: "issue_comment", what: event.action, payloadFor: () => payload }];
}

const removedComment = async (forge: Forge, eventId: string): Promise<Comment | undefined> =>
  (await findEventDetail(forge, eventId)).removed as Comment | undefined;

/** `changes`, with the former text of each thing that was changed. */
async function changesOf(forge: Forge, eventId: string): Promise<{ changes: object }> {
  const former = Object.entries(await findEventDetail(forge, eventId));
  return { changes: Object.fromEntries(former.map(([name, from]) => [name, { from }])) };
}
