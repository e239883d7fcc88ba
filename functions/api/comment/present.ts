import type { Comment, TimelineEntry } from "#core/comment/comment.table";
import type { ReferredByComments } from "#core/comment/referred";
import type { IssuePlace } from "#core/issue/referred";
import { ghostUser } from "#core/user/system-users";
import type { View } from "../../http/answer/view.ts";
import { timestamp } from "../../http/timestamps.ts";
import { presentAttachments } from "../attachment/present.ts";
import { issuePageLink } from "../issue/present.ts";
import { presentUser } from "../user/present.ts";
import type { CommentJson } from "./schema.ts";

/** The fields that comments and all other timeline entries share. */
export function entryLinks(view: View, place: IssuePlace, entry: TimelineEntry) {
  const page = issuePageLink(view, place, entry.issueKind, entry.issueNumber);
  const isOnPull = entry.issueKind === "pull";
  return {
    id: entry.id,
    html_url: `${page}#issuecomment-${entry.id}`,
    pull_request_url: isOnPull ? page : "",
    issue_url: isOnPull ? "" : page,
    body: entry.body,
    created_at: timestamp(entry.createdAt),
    updated_at: timestamp(entry.updatedAt),
  };
}

/** A comment with its author and attachments, as far as they were found. */
export function presentComment(
  view: View,
  place: IssuePlace,
  comment: Comment,
  { authors, attachments: found }: ReferredByComments,
): CommentJson {
  return {
    ...entryLinks(view, place, comment),
    user: presentUser(view, authors.get(comment.authorId) ?? ghostUser),
    original_author: "",
    original_author_id: 0,
    assets: presentAttachments(view, comment.attachmentIds, found),
  };
}
