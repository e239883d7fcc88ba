import type { RepositoryMoved } from "#core/activity/moved";
import { type ActivityOrigin, type Deed, findScene, recordActivities } from "#core/activity/record";
import { entryRowKey } from "#core/comment/comment.table";
import type { Forge } from "#core/forge";
import type { IssueEvent, RepositoryEvent, ReviewAction } from "#core/hook/events";
import { type Issue, issueKey } from "#core/issue/issue.table";

type Event = RepositoryEvent & { readonly eventId: string };

/** Writes down for feeds what was done, as far as they tell of it (semantics §67.2); of pushes see there. May be repeated. */
export async function noteActivity(forge: Forge, event: Event): Promise<void> {
  const deed = await deedOf(forge, event);
  if (deed === undefined) return;
  const { eventId, actorId, at } = event;
  const repositoryId = event.kind === "repository-forked" ? event.forkId : event.repositoryId;
  await note(forge, { eventId, repositoryId, actorId, at }, deed);
}

/** The same of a repository's new name or owner. */
export async function noteMove(
  forge: Forge,
  { formerOwnerId, name, ...origin }: RepositoryMoved & { readonly eventId: string },
): Promise<void> {
  if (formerOwnerId === undefined) return note(forge, origin, { type: "rename_repo", formerName: name });
  await note(forge, origin, { type: "transfer_repo", formerName: name, formerOwnerId });
}

async function note(forge: Forge, origin: ActivityOrigin, deed: Deed): Promise<void> {
  const scene = await findScene(forge, origin);
  if (scene !== undefined) await recordActivities(forge, origin, scene, [deed]);
}

async function deedOf(forge: Forge, event: Event): Promise<Deed | undefined> {
  switch (event.kind) {
    case "repository-created":
    case "repository-forked":
      return { type: "create_repo" };
    case "issue":
      return deedOnIssue(forge, event);
    case "issue-comment": {
      const { action, repositoryId, commentId, index: number } = event;
      if (action !== "created") return undefined;
      const [issue, row] = await Promise.all([
        forge.table.get<Issue>(issueKey(repositoryId, number)),
        forge.table.get(entryRowKey(repositoryId, commentId)), // it may be gone by now
      ]);
      if (issue === undefined || row === undefined) return undefined;
      return { type: issue.kind === "pull" ? "comment_pull" : "comment_issue", number, commentId };
    }
    case "review": {
      const type = verdicts[event.action];
      return type && { type, number: event.index };
    }
    case "release":
      return event.action === "published" ? { type: "publish_release", number: event.number } : undefined;
    default:
      return undefined;
  }
}

const verdicts: Readonly<Partial<Record<ReviewAction, Deed["type"]>>> = {
  approved: "approve_pull_request",
  rejected: "reject_pull_request",
  comment: "comment_pull",
  dismissed: "pull_review_dismissed",
};

async function deedOnIssue(
  { table }: Forge,
  { action, repositoryId, index: number, commitId }: IssueEvent,
): Promise<Deed | undefined> {
  if (action !== "opened" && action !== "closed" && action !== "reopened") return undefined;
  const issue = await table.get<Issue>(issueKey(repositoryId, number));
  if (issue === undefined) return undefined;
  const isPull = issue.kind === "pull";
  if (action === "opened") return { type: isPull ? "create_pull_request" : "create_issue", number };
  if (action === "reopened") return { type: isPull ? "reopen_pull_request" : "reopen_issue", number };
  const merge = issue.pull?.merge;
  if (merge !== undefined && merge.commitId === commitId) {
    return { type: merge.wasScheduled === true ? "auto_merge_pull_request" : "merge_pull_request", number };
  }
  return { type: isPull ? "close_pull_request" : "close_issue", number };
}
