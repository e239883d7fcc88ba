import { type Comment, entryKey } from "#core/comment/comment.table";
import type { Forge } from "#core/forge";
import type { Notice } from "#core/hook/announce";
import { findEventDetail } from "#core/hook/event-detail";
import type { IssueCommentEvent } from "#core/hook/events";
import { showComment } from "../../api/comment/show.ts";
import { showIssue } from "../../api/issue/show.ts";
import { presentRepository } from "../../api/repository/present.ts";
import { changesOf, pullPart, wantedIssue } from "./issue.ts";
import type { IsWanted } from "./push.ts";
import type { Subject } from "./subject.ts";

const types = { issue: "issue_comment", pull: "pull_request_comment" } as const;

/**
 * The notice about a comment on an issue or pull request for hooks, both as they are now, or as it was at its end; none
 * when one of them is gone, or no hook would hear of it.
 */
export async function commentNotice(
  forge: Forge,
  event: IssueCommentEvent & { readonly eventId: string },
  subject: Subject,
  isWanted: IsWanted,
): Promise<Notice[]> {
  const [issue, comment] = await Promise.all([
    wantedIssue(forge, event, types, isWanted),
    event.action === "deleted"
      ? removedComment(forge, event.eventId)
      : forge.table.get<Comment>(entryKey(event.repositoryId, event.index, event.commentId)),
  ]);
  if (issue === undefined || comment === undefined) return [];
  const { view, details, sender } = subject;
  const payload = {
    action: event.action,
    issue: await showIssue(forge, view, details, issue),
    ...(await pullPart(forge, subject, issue)),
    comment: await showComment(forge, view, details, comment),
    ...(event.action === "edited" ? await changesOf(forge, event.eventId) : {}),
    repository: presentRepository(view, details),
    sender,
    is_pull: issue.kind === "pull",
  };
  return [{ eventType: types[issue.kind], what: event.action, payloadFor: () => payload }];
}

const removedComment = async (forge: Forge, eventId: string): Promise<Comment | undefined> =>
  (await findEventDetail(forge, eventId)).removed as Comment | undefined;
