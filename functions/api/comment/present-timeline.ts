import type { RepositoryAccess } from "#core/access/repository-access";
import type { TimelineEntry } from "#core/comment/comment.table";
import { addressText, type TimelineSubjects } from "#core/comment/timeline-subjects";
import { ghostUser } from "#core/user/system-users";
import type { User } from "#core/user/user.table";
import { linkTo } from "../../http/answer/links.ts";
import type { View } from "../../http/answer/view.ts";
import { presentPlaced } from "../issue/present.ts";
import type { IssueJson } from "../issue/schema.ts";
import { presentLabel } from "../label/present.ts";
import { presentMilestone } from "../milestone/present.ts";
import { presentTeam } from "../team/present.ts";
import { trackedTime } from "../tracked-time/present.ts";
import type { TrackedTimeJson } from "../tracked-time/schema.ts";
import { presentUser } from "../user/present.ts";
import { entryLinks, presentComment } from "./present.ts";
import type { CommentJson } from "./schema.ts";
import type { TimelineCommentJson } from "./timeline-schema.ts";

/** The subjects of entries, as they are shown; issues by their addresses. */
interface Presented extends Pick<TimelineSubjects, "users" | "labels" | "milestones" | "teams" | "places"> {
  readonly issues: ReadonlyMap<string, IssueJson>;
  readonly comments: ReadonlyMap<number, CommentJson>;
}

/** Entries of an issue's timeline, with everything that they are about. */
export function presentTimeline(
  view: View,
  access: RepositoryAccess,
  entries: readonly TimelineEntry[],
  subjects: TimelineSubjects,
): TimelineCommentJson[] {
  const { issues, referredByIssues, comments, referredByComments, ...rest } = subjects;
  const shown = presentPlaced(view, issues, referredByIssues);
  const presented = {
    ...rest,
    issues: new Map(issues.map(({ issue }, at) => [addressText(issue), shown[at] as IssueJson])),
    comments: new Map(
      comments.map(({ comment, place }) => [
        comment.id,
        presentComment(view, place, comment, referredByComments),
      ]),
    ),
  };
  return entries.map((entry) => entryJson(view, access, entry, presented));
}

function entryJson(
  view: View,
  access: RepositoryAccess,
  entry: TimelineEntry,
  subjects: Presented,
): TimelineCommentJson {
  const { oldTitle = "", newTitle = "", oldRef = "", newRef = "", isRemoval = false } = entry;
  const label = subjects.labels.get(entry.labelId ?? 0);
  const assignee = entry.assigneeId === undefined ? undefined : userOf(subjects, entry.assigneeId);
  const team = subjects.teams.get(entry.teamId ?? 0);
  const milestoneOf = (id = 0) => {
    const milestone = subjects.milestones.get(id);
    return milestone === undefined ? null : presentMilestone(milestone);
  };
  return {
    ...entryLinks(view, access, entry),
    ...(entry.type === "commit_ref" ? { body: commitLinkHtml(view, entry, subjects) } : {}),
    type: entry.type,
    user: presentUser(view, userOf(subjects, entry.authorId)),
    old_project_id: 0,
    project_id: 0,
    old_milestone: milestoneOf(entry.oldMilestoneId),
    milestone: milestoneOf(entry.milestoneId),
    tracked_time: timeJson(entry, subjects),
    old_title: oldTitle,
    new_title: newTitle,
    old_ref: oldRef,
    new_ref: newRef,
    ...relatedJson(entry, subjects),
    ref_comment: subjects.comments.get(entry.relatedCommentId ?? 0) ?? null,
    ref_action: entry.refAction ?? "",
    ref_commit_sha: entry.commit?.id ?? "",
    review_id: entry.reviewId ?? 0,
    label: label === undefined ? null : presentLabel(view, access, label),
    assignee: assignee === undefined ? null : presentUser(view, assignee),
    assignee_team: team === undefined ? null : presentTeam(view, team),
    removed_assignee: isRemoval,
    resolve_doer: null,
  };
}

const userOf = (subjects: Presented, id: number): User => subjects.users.get(id) ?? ghostUser;

function timeJson(
  { time, repositoryId, issueNumber }: TimelineEntry,
  subjects: Presented,
): TrackedTimeJson | null {
  const issue = subjects.issues.get(addressText({ repositoryId, number: issueNumber }));
  return time === undefined || issue === undefined
    ? null
    : trackedTime(time, userOf(subjects, time.userId), issue);
}

function relatedJson({ related }: TimelineEntry, subjects: Presented) {
  const issue = related === undefined ? null : (subjects.issues.get(addressText(related)) ?? null);
  const isReference = related?.isReference === true;
  return { ref_issue: isReference ? issue : null, dependent_issue: isReference ? null : issue };
}

/** The link to a commit that refers to the issue, as HTML (semantics §48); empty when it is hidden. */
function commitLinkHtml(view: View, { commit, body }: TimelineEntry, { places }: Presented): string {
  const place = commit === undefined ? undefined : places.get(commit.repositoryId);
  if (commit === undefined || place === undefined) return "";
  const href = linkTo(view.config, place.owner.name, place.repository.name, "commit", commit.id);
  return `<a href="${escapedHtml(href)}">${escapedHtml(body)}</a>`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escapedHtml = (text: string): string => text.replace(/[&<>"']/g, (mark) => entities[mark] ?? mark);
