import { findAttachmentsOf } from "#core/attachment/attachment";
import type { Attachment } from "#core/attachment/attachment.table";
import type { Comment, TimelineEntry } from "#core/comment/comment.table";
import type { Forge } from "#core/forge";
import { ghostUser } from "#core/user/system-users";
import type { User } from "#core/user/user.table";
import { timestamp, type View } from "../../http/answer/view.ts";
import { presentAttachments } from "../attachment/present.ts";
import { findUsers, type IssuePlace, issuePageLink } from "../issue/present.ts";
import { presentUser } from "../user/present.ts";
import type { CommentJson } from "./schema.ts";

/** Comments with their authors. */
export async function presentComments(
  forge: Forge,
  view: View,
  place: IssuePlace,
  comments: readonly Comment[],
): Promise<CommentJson[]> {
  const referred = await findReferred(forge, view, place, comments);
  return comments.map((comment) => commentJson(view, place, comment, referred));
}

/** Like `presentComments`, for one. */
export async function presentComment(
  forge: Forge,
  view: View,
  place: IssuePlace,
  comment: Comment,
): Promise<CommentJson> {
  return commentJson(view, place, comment, await findReferred(forge, view, place, [comment]));
}

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

/** Authors and attachments of comments, by id; removed ones are missing. */
interface Referred {
  readonly authors: ReadonlyMap<number, User>;
  readonly attachments: ReadonlyMap<number, Attachment>;
}

async function findReferred(
  forge: Forge,
  view: View,
  place: IssuePlace,
  comments: readonly Comment[],
): Promise<Referred> {
  const authorIds = comments.map(({ authorId }) => authorId);
  const [authors, found] = await Promise.all([
    findUsers(forge, view, [place], authorIds),
    findAttachmentsOf(forge, comments),
  ]);
  return { authors, attachments: found };
}

function commentJson(
  view: View,
  place: IssuePlace,
  comment: Comment,
  { authors, attachments: found }: Referred,
): CommentJson {
  return {
    ...entryLinks(view, place, comment),
    user: presentUser(view, authors.get(comment.authorId) ?? ghostUser),
    original_author: "",
    original_author_id: 0,
    assets: presentAttachments(view, comment.attachmentIds, found),
  };
}
