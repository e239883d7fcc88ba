import type { RepositoryAccess } from "#core/access/repository-access";
import type { TimelineEntry } from "#core/comment/comment.table";
import type { Forge } from "#core/forge";
import { findLabelsById } from "#core/label/label";
import type { Label } from "#core/label/label.table";
import { findMilestonesById } from "#core/milestone/milestone";
import type { Milestone } from "#core/milestone/milestone.table";
import { ghostUser } from "#core/user/system-users";
import type { User } from "#core/user/user.table";
import type { View } from "../../http/answer/view.ts";
import { findUsers } from "../issue/present.ts";
import { presentLabel } from "../label/present.ts";
import { presentMilestone } from "../milestone/present.ts";
import { trackedTime } from "../tracked-time/present.ts";
import type { TrackedTimeJson } from "../tracked-time/schema.ts";
import { presentUser } from "../user/present.ts";
import { entryLinks } from "./present.ts";
import { addressText, commitLinkHtml, findReferring, type Referring } from "./present-referring.ts";
import type { TimelineCommentJson } from "./timeline-schema.ts";

/** The subjects of entries, by id, issues by their address; removed and hidden ones are missing. */
interface Subjects extends Referring {
  readonly users: ReadonlyMap<number, User>;
  readonly labels: ReadonlyMap<number, Label>;
  readonly milestones: ReadonlyMap<number, Milestone>;
}

const given = (ids: readonly (number | undefined)[]): number[] =>
  ids.filter((id): id is number => id !== undefined && id !== 0);

async function findSubjects(
  forge: Forge,
  view: View,
  access: RepositoryAccess,
  entries: readonly TimelineEntry[],
): Promise<Subjects> {
  const userIds = given(
    entries.flatMap(({ authorId, assigneeId, time }) => [authorId, assigneeId, time?.userId]),
  );
  const milestoneIds = given(
    entries.flatMap(({ milestoneId, oldMilestoneId }) => [milestoneId, oldMilestoneId]),
  );
  const [foundUsers, foundLabels, foundMilestones, referring] = await Promise.all([
    findUsers(forge, view, [access], [...new Set(userIds)]),
    findLabelsById(forge, access, given(entries.map(({ labelId }) => labelId))),
    findMilestonesById(forge, access.repository.id, milestoneIds),
    findReferring(forge, view, access, entries),
  ]);
  return { users: foundUsers, labels: foundLabels, milestones: foundMilestones, ...referring };
}

/** Entries of an issue's timeline, with everything that they are about. */
export async function presentTimeline(
  forge: Forge,
  view: View,
  access: RepositoryAccess,
  entries: readonly TimelineEntry[],
): Promise<TimelineCommentJson[]> {
  const subjects = await findSubjects(forge, view, access, entries);
  return entries.map((entry) => entryJson(view, access, entry, subjects));
}

function entryJson(
  view: View,
  access: RepositoryAccess,
  entry: TimelineEntry,
  subjects: Subjects,
): TimelineCommentJson {
  const { oldTitle = "", newTitle = "", oldRef = "", newRef = "", isRemoval = false } = entry;
  const label = subjects.labels.get(entry.labelId ?? 0);
  const assignee = entry.assigneeId === undefined ? undefined : userOf(subjects, entry.assigneeId);
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
    review_id: 0,
    label: label === undefined ? null : presentLabel(view, access, label),
    assignee: assignee === undefined ? null : presentUser(view, assignee),
    assignee_team: null,
    removed_assignee: isRemoval,
    resolve_doer: null,
  };
}

const userOf = (subjects: Subjects, id: number): User => subjects.users.get(id) ?? ghostUser;

function timeJson(
  { time, repositoryId, issueNumber }: TimelineEntry,
  subjects: Subjects,
): TrackedTimeJson | null {
  const issue = subjects.issues.get(addressText({ repositoryId, number: issueNumber }));
  return time === undefined || issue === undefined
    ? null
    : trackedTime(time, userOf(subjects, time.userId), issue);
}

function relatedJson({ related }: TimelineEntry, subjects: Subjects) {
  const issue = related === undefined ? null : (subjects.issues.get(addressText(related)) ?? null);
  const isReference = related?.isReference === true;
  return { ref_issue: isReference ? issue : null, dependent_issue: isReference ? null : issue };
}
