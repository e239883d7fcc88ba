import type { Issue, IssueKind } from "#core/issue/issue.table";
import type { IssueInPlace, IssuePlace, ReferredByIssues } from "#core/issue/referred";
import { byLabelName, isUsableLabel } from "#core/label/label";
import type { PullPart } from "#core/pull/pull.table";
import { ghostUser } from "#core/user/system-users";
import { apiLinkTo, linkTo } from "../../http/answer/links.ts";
import type { View } from "../../http/answer/view.ts";
import { optionalTimestamp, timestamp } from "../../http/timestamps.ts";
import { presentAttachments } from "../attachment/present.ts";
import { presentLabel } from "../label/present.ts";
import { presentMilestone } from "../milestone/present.ts";
import { presentUser } from "../user/present.ts";
import type { UserJson } from "../user/schema.ts";
import type { IssueJson } from "./schema.ts";

/** The page of an issue or pull. */
export const issuePageLink = (
  { config }: View,
  { owner, repository }: IssuePlace,
  kind: IssueKind,
  number: number,
): string => linkTo(config, owner.name, repository.name, kind === "pull" ? "pulls" : "issues", number);

/** Issues of any repositories with the things they refer to, as far as these were found. */
export function presentPlaced(
  view: View,
  placed: readonly IssueInPlace[],
  referred: ReferredByIssues,
): IssueJson[] {
  // A user is presented once for all of them.
  const users = new Map([...referred.users].map(([id, user]) => [id, presentUser(view, user)]));
  return placed.map(({ place, issue }) => issueJson(view, place, issue, { ...referred, users }));
}

/** What an issue's JSON form shows of a pull request. */
const presentMeta = ({ merge, isDraft }: PullPart, page: string): IssueJson["pull_request"] => ({
  merged: merge !== undefined,
  merged_at: optionalTimestamp(merge?.at ?? 0),
  draft: isDraft,
  html_url: page,
});

type Presented = Omit<ReferredByIssues, "users"> & { readonly users: ReadonlyMap<number, UserJson> };

function issueJson(view: View, place: IssuePlace, issue: Issue, referred: Presented): IssueJson {
  const { owner, repository } = place;
  const shown = <T>(found: ReadonlyMap<number, T>, ids: readonly number[]) =>
    ids.flatMap((id) => found.get(id) ?? []);
  const carried = shown(referred.labels, issue.labelIds)
    .filter((label) => isUsableLabel(place, label))
    .sort(byLabelName);
  const milestone = referred.milestones.get(issue.milestoneId);
  const assignees = shown(referred.users, issue.assigneeIds);
  const page = issuePageLink(view, place, issue.kind, issue.number);
  return {
    id: issue.id,
    url: apiLinkTo(view.config, "repos", owner.name, repository.name, "issues", issue.number),
    html_url: page,
    number: issue.number,
    user: referred.users.get(issue.authorId) ?? presentUser(view, ghostUser),
    original_author: "",
    original_author_id: 0,
    title: issue.title,
    body: issue.body,
    ref: issue.ref,
    assets: presentAttachments(view, issue.attachmentIds, referred.attachments),
    labels: carried.map((label) => presentLabel(view, place, label)),
    milestone: milestone === undefined ? null : presentMilestone(milestone),
    assignee: assignees[0] ?? null,
    assignees,
    state: issue.isClosed ? "closed" : "open",
    is_locked: issue.isLocked,
    comments: issue.comments,
    created_at: timestamp(issue.createdAt),
    updated_at: timestamp(issue.updatedAt),
    closed_at: optionalTimestamp(issue.closedAt),
    due_date: optionalTimestamp(issue.dueAt),
    pull_request: issue.pull === undefined ? null : presentMeta(issue.pull, page),
    repository: {
      id: repository.id,
      name: repository.name,
      owner: owner.name,
      full_name: `${owner.name}/${repository.name}`,
    },
    pin_order: issue.pin,
  };
}
