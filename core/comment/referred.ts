import type { Actor } from "../actor.ts";
import type { Attachment } from "../attachment/attachment.table.ts";
import { findAttachmentsOf } from "../attachment/attachment.ts";
import type { Forge } from "../forge.ts";
import type { IssuePlace } from "../issue/referred.ts";
import { findUsersNear } from "../user/find-near.ts";
import type { User } from "../user/user.table.ts";
import type { Comment } from "./comment.table.ts";

/** Authors and attachments of comments, by id; removed ones are missing. */
export interface ReferredByComments {
  readonly authors: ReadonlyMap<number, User>;
  readonly attachments: ReadonlyMap<number, Attachment>;
}

/** Finds what comments in these repositories refer to, in two requests at most. */
export async function findReferredByComments(
  forge: Forge,
  actor: Actor | undefined,
  places: readonly IssuePlace[],
  comments: readonly Comment[],
): Promise<ReferredByComments> {
  const authorIds = comments.map(({ authorId }) => authorId);
  const [authors, attachments] = await Promise.all([
    findUsersNear(forge, actor, places, authorIds),
    findAttachmentsOf(forge, comments),
  ]);
  return { authors, attachments };
}
