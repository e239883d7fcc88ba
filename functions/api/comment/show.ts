import type { RepositoryAccess } from "#core/access/repository-access";
import type { Comment, TimelineEntry } from "#core/comment/comment.table";
import { findReferredByComments } from "#core/comment/referred";
import { findTimelineSubjects } from "#core/comment/timeline-subjects";
import type { Forge } from "#core/forge";
import type { IssuePlace } from "#core/issue/referred";
import type { View } from "../../http/answer/view.ts";
import { presentComment } from "./present.ts";
import { presentTimeline } from "./present-timeline.ts";
import type { CommentJson } from "./schema.ts";
import type { TimelineCommentJson } from "./timeline-schema.ts";

/** Reads the authors and attachments of comments, and presents them with these. */
export async function showComments(
  forge: Forge,
  view: View,
  place: IssuePlace,
  comments: readonly Comment[],
): Promise<CommentJson[]> {
  const referred = await findReferredByComments(forge, view.actor, [place], comments);
  return comments.map((comment) => presentComment(view, place, comment, referred));
}

/** Like `showComments`, for one. */
export async function showComment(
  forge: Forge,
  view: View,
  place: IssuePlace,
  comment: Comment,
): Promise<CommentJson> {
  const [shown] = await showComments(forge, view, place, [comment]);
  return shown as CommentJson;
}

/** Reads everything that entries of a timeline are about, and presents them with it. */
export async function showTimeline(
  forge: Forge,
  view: View,
  access: RepositoryAccess,
  entries: readonly TimelineEntry[],
): Promise<TimelineCommentJson[]> {
  const subjects = await findTimelineSubjects(forge, view.actor, access, entries);
  return presentTimeline(view, access, entries, subjects);
}
