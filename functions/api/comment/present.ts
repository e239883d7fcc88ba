import type { Comment, TimelineEntry } from "#core/comment/comment.table";
import type { Forge } from "#core/forge";
import * as users from "#core/user/user";
import type { User } from "#core/user/user.table";
import { findUsers, type IssuePlace, issuePageLink } from "../issue/present.ts";
import { presentUser } from "../user/present.ts";
import { timestamp, type View } from "../view.ts";
import type { CommentJson } from "./schema.ts";

/** Comments with their authors. */
export async function presentComments(
  forge: Forge,
  view: View,
  place: IssuePlace,
  comments: readonly Comment[],
): Promise<CommentJson[]> {
  const authors = await findUsers(
    forge,
    view,
    [place],
    comments.map(({ authorId }) => authorId),
  );
  return comments.map((comment) => commentJson(view, place, comment, authors));
}

/** As `presentComments`, for one. */
export async function presentComment(
  forge: Forge,
  view: View,
  place: IssuePlace,
  comment: Comment,
): Promise<CommentJson> {
  return commentJson(view, place, comment, await findUsers(forge, view, [place], [comment.authorId]));
}

/** What comments and all other entries of a timeline show alike. */
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

function commentJson(
  view: View,
  place: IssuePlace,
  comment: Comment,
  authors: ReadonlyMap<number, User>,
): CommentJson {
  return {
    ...entryLinks(view, place, comment),
    user: presentUser(view, authors.get(comment.authorId) ?? users.ghost),
    original_author: "",
    original_author_id: 0,
    assets: [],
  };
}
