import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import type { Attachment } from "../attachment/attachment.table.ts";
import { findAttachmentsOf } from "../attachment/attachment.ts";
import type { Forge } from "../forge.ts";
import type { Label } from "../label/label.table.ts";
import { findLabelsIn } from "../label/label.ts";
import type { Milestone } from "../milestone/milestone.table.ts";
import { findMilestonesIn } from "../milestone/milestone.ts";
import { findUsersNear } from "../user/find-near.ts";
import type { User } from "../user/user.table.ts";
import type { Issue } from "./issue.table.ts";

/** The repository that issues and comments are in. */
export type IssuePlace = Pick<RepositoryAccess, "repository" | "owner">;

/** An issue and the repository that it is in. */
export interface IssueInPlace {
  readonly place: IssuePlace;
  readonly issue: Issue;
}

/** The things that issues refer to, by id; removed ones are missing. */
export interface ReferredByIssues {
  readonly users: ReadonlyMap<number, User>;
  readonly labels: ReadonlyMap<number, Label>;
  readonly milestones: ReadonlyMap<number, Milestone>;
  readonly attachments: ReadonlyMap<number, Attachment>;
}

/** Finds what issues of any repositories refer to, in five requests at most. */
export async function findReferredByIssues(
  forge: Forge,
  actor: Actor | undefined,
  placed: readonly IssueInPlace[],
): Promise<ReferredByIssues> {
  const issues = placed.map(({ issue }) => issue);
  const places = [...new Set(placed.map(({ place }) => place))];
  const userIds = issues.flatMap(({ authorId, assigneeIds }) => [authorId, ...assigneeIds]);
  const labelIds = placed.map(({ place, issue }) => ({ source: place, ids: issue.labelIds }));
  const milestoneKeys = issues.flatMap(({ repositoryId, milestoneId }) =>
    milestoneId === 0 ? [] : { repositoryId, id: milestoneId },
  );
  const [users, labels, milestones, attachments] = await Promise.all([
    findUsersNear(forge, actor, places, userIds),
    findLabelsIn(forge, labelIds),
    findMilestonesIn(forge, milestoneKeys),
    findAttachmentsOf(forge, issues),
  ]);
  return { users, labels, milestones, attachments };
}
