import type { Comment } from "#core/comment/comment.table";
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
    place,
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
  return commentJson(view, place, comment, await findUsers(forge, view, place, [comment.authorId]));
}

function commentJson(
  view: View,
  place: IssuePlace,
  comment: Comment,
  authors: ReadonlyMap<number, User>,
): CommentJson {
  const page = issuePageLink(view, place, comment.issueKind, comment.issueNumber);
  const isOnPull = comment.issueKind === "pull";
  return {
    id: comment.id,
    html_url: `${page}#issuecomment-${comment.id}`,
    pull_request_url: isOnPull ? page : "",
    issue_url: isOnPull ? "" : page,
    user: presentUser(view, authors.get(comment.authorId) ?? users.ghost),
    original_author: "",
    original_author_id: 0,
    body: comment.body,
    assets: [],
    created_at: timestamp(comment.createdAt),
    updated_at: timestamp(comment.updatedAt),
  };
}
