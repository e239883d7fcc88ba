import type { RepositoryAccess } from "#core/access/repository-access";
import { findAttachmentsOf } from "#core/attachment/attachment";
import type { Attachment } from "#core/attachment/attachment.table";
import type { Forge } from "#core/forge";
import type { Issue, IssueKind } from "#core/issue/issue.table";
import { byLabelName, findLabelsIn, isUsableLabel } from "#core/label/label";
import type { Label } from "#core/label/label.table";
import { findMilestonesIn } from "#core/milestone/milestone";
import type { Milestone } from "#core/milestone/milestone.table";
import { findUsersById } from "#core/user/find";
import { ghostUser } from "#core/user/system-users";
import type { User } from "#core/user/user.table";
import { apiLinkTo, linkTo, optionalTimestamp, timestamp, type View } from "../../http/answer/view.ts";
import { presentAttachments } from "../attachment/present.ts";
import { presentLabel } from "../label/present.ts";
import { presentMilestone } from "../milestone/present.ts";
import { presentUser } from "../user/present.ts";
import type { UserJson } from "../user/schema.ts";
import type { IssueJson } from "./schema.ts";

/** The repository that issues and comments are shown of. */
export type IssuePlace = Pick<RepositoryAccess, "repository" | "owner">;

/** The page of an issue or pull. */
export const issuePageLink = (
  { config }: View,
  { owner, repository }: IssuePlace,
  kind: IssueKind,
  number: number,
): string => linkTo(config, owner.name, repository.name, kind === "pull" ? "pulls" : "issues", number);

/** The users to show, in one request at most; the caller and the owners are known already. */
export async function findUsers(
  forge: Forge,
  { actor }: View,
  places: readonly IssuePlace[],
  ids: readonly number[],
): Promise<ReadonlyMap<number, User>> {
  const owners = places.flatMap(({ owner }) => (owner.kind === "user" ? [owner] : []));
  const near = [...owners, ...(actor === undefined ? [] : [actor.user])];
  const known = new Map(near.map((user) => [user.id, user]));
  const others = ids.filter((id) => !known.has(id));
  return new Map([...known, ...(await findUsersById(forge, others))]);
}

/** The things that issues refer to, by id; removed ones are missing. A user is presented once for all of them. */
interface Referred {
  readonly users: ReadonlyMap<number, UserJson>;
  readonly labels: ReadonlyMap<number, Label>;
  readonly milestones: ReadonlyMap<number, Milestone>;
  readonly attachments: ReadonlyMap<number, Attachment>;
}

/** An issue and the repository that it is in. */
export interface PlacedIssue {
  readonly place: IssuePlace;
  readonly issue: Issue;
}

async function findReferred(forge: Forge, view: View, placed: readonly PlacedIssue[]): Promise<Referred> {
  const userIds = placed.flatMap(({ issue: { authorId, assigneeIds } }) => [authorId, ...assigneeIds]);
  const places = [...new Set(placed.map(({ place }) => place))];
  const milestoneKeys = placed.flatMap(({ issue: { repositoryId, milestoneId } }) =>
    milestoneId === 0 ? [] : { repositoryId, id: milestoneId },
  );
  const [foundUsers, foundLabels, foundMilestones, foundAttachments] = await Promise.all([
    findUsers(forge, view, places, [...new Set(userIds)]),
    findLabelsIn(
      forge,
      placed.map(({ place, issue }) => ({ source: place, ids: issue.labelIds })),
    ),
    findMilestonesIn(forge, milestoneKeys),
    findAttachmentsOf(
      forge,
      placed.map(({ issue }) => issue),
    ),
  ]);
  return {
    users: new Map([...foundUsers].map(([id, user]) => [id, presentUser(view, user)])),
    labels: foundLabels,
    milestones: foundMilestones,
    attachments: foundAttachments,
  };
}

/** Issues of any repositories with the things they refer to, in five requests at most. */
export async function presentPlaced(
  forge: Forge,
  view: View,
  placed: readonly PlacedIssue[],
): Promise<IssueJson[]> {
  const referred = await findReferred(forge, view, placed);
  return placed.map(({ place, issue }) => issueJson(view, place, issue, referred));
}

/** Like `presentPlaced`, for issues of one repository. */
export const presentIssues = (
  forge: Forge,
  view: View,
  place: IssuePlace,
  issues: readonly Issue[],
): Promise<IssueJson[]> =>
  presentPlaced(
    forge,
    view,
    issues.map((issue) => ({ place, issue })),
  );

/** Like `presentPlaced`, for one. */
export async function presentIssue(
  forge: Forge,
  view: View,
  place: IssuePlace,
  issue: Issue,
): Promise<IssueJson> {
  return issueJson(view, place, issue, await findReferred(forge, view, [{ place, issue }]));
}

/** An issue with the things it refers to, as far as they were found. */
export function issueJson(view: View, place: IssuePlace, issue: Issue, referred: Referred): IssueJson {
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
    pull_request:
      issue.kind === "pull" ? { merged: false, merged_at: null, draft: false, html_url: page } : null,
    repository: {
      id: repository.id,
      name: repository.name,
      owner: owner.name,
      full_name: `${owner.name}/${repository.name}`,
    },
    pin_order: issue.pin,
  };
}
