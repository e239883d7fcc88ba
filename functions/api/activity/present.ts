import type { PushedCommits, ShownCommit } from "#core/activity/activity.table";
import type { ShownActivity } from "#core/activity/feed";
import type { Comment } from "#core/comment/comment.table";
import type { ReferredByComments } from "#core/comment/referred";
import type { Issue } from "#core/issue/issue.table";
import type { Owner } from "#core/owner/owner";
import type { Release } from "#core/release/release.table";
import type { RepositoryDetails } from "#core/repository/details";
import { shortened } from "#core/text";
import type { View } from "../../http/answer/view.ts";
import { clampedTimestamp, timestamp } from "../../http/timestamps.ts";
import { presentComment } from "../comment/present.ts";
import { presentRepository } from "../repository/present.ts";
import { presentUser } from "../user/present.ts";
import type { ActivityJson } from "./schema.ts";

/** An activity with what it is about, as that is now. */
export interface DetailedActivity extends ShownActivity {
  readonly details: RepositoryDetails;
  readonly issue?: Issue | undefined;
  readonly comment?: Comment | undefined;
  readonly release?: Release | undefined;
  readonly commits?: PushedCommits | undefined;
  /** Who owned a transferred repository, if the caller may know of them. */
  readonly formerOwner?: Owner | undefined;
}

const beginning = 200;

/** An activity in the family's form, in the feed of an owner; permissions on the repository are left out. */
export function presentActivity(
  view: View,
  feedOwnerId: number,
  referred: ReferredByComments,
  shown: DetailedActivity,
): ActivityJson {
  const { activity, details, comment, release, doer } = shown;
  return {
    id: activity.id,
    user_id: feedOwnerId,
    op_type: activity.type,
    act_user_id: activity.actorId,
    act_user: presentUser(view, doer),
    repo_id: details.repository.id,
    repo: { ...presentRepository(view, details), permissions: null },
    comment_id: comment?.id ?? 0,
    comment: comment === undefined ? null : presentComment(view, details, comment, referred),
    ref_name: release?.tagName ?? activity.ref ?? "",
    is_private: details.repository.isPrivate,
    content: contentOf(shown),
    created: timestamp(Math.floor(activity.at / 1000)),
  };
}

function contentOf(shown: DetailedActivity): string {
  const { activity, details, issue, comment, release, commits, formerOwner } = shown;
  if (commits !== undefined) return pushContent(details, commits);
  if (issue !== undefined) {
    const text = comment === undefined ? issue.title : shortened(comment.body, beginning);
    return `${issue.number}|${text}`;
  }
  const { formerName = "" } = activity;
  return release?.title ?? (formerOwner === undefined ? formerName : `${formerOwner.name}/${formerName}`);
}

/** In the family's form, whose names begin with capitals. */
function pushContent({ owner, repository }: RepositoryDetails, pushed: PushedCommits): string {
  const commits = pushed.commits.map(commitContent);
  const compared = `${owner.name}/${repository.name}/compare/${pushed.old}...${pushed.new}`;
  return JSON.stringify({
    Commits: commits,
    HeadCommit: commits[0] ?? null,
    CompareURL: pushed.old === undefined ? "" : compared,
    Len: pushed.total,
  });
}

const commitContent = ({ id, message, author, committer, committedAt }: ShownCommit) => ({
  Sha1: id,
  Message: message,
  AuthorEmail: author.email,
  AuthorName: author.name,
  CommitterEmail: committer.email,
  CommitterName: committer.name,
  Timestamp: clampedTimestamp(committedAt),
});
