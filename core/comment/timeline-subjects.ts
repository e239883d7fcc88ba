import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import { accessLoader, findPlacedIssues, type IssueAddress } from "../issue/placed-issues.ts";
import {
  findReferredByIssues,
  type IssueInPlace,
  type IssuePlace,
  type ReferredByIssues,
} from "../issue/referred.ts";
import type { Label } from "../label/label.table.ts";
import { findLabelsById } from "../label/label.ts";
import type { Milestone } from "../milestone/milestone.table.ts";
import { findMilestonesById } from "../milestone/milestone.ts";
import { findOwnersTeams } from "../team/of-owner.ts";
import type { Team } from "../team/team.table.ts";
import { findUsersNear } from "../user/find-near.ts";
import type { User } from "../user/user.table.ts";
import { type Comment, entryKey, type TimelineEntry } from "./comment.table.ts";
import { findReferredByComments, type ReferredByComments } from "./referred.ts";

/** Other issues, comments and repositories that entries are about; removed and hidden ones are missing. */
interface Referring {
  readonly issues: readonly IssueInPlace[];
  readonly referredByIssues: ReferredByIssues;
  readonly comments: readonly { readonly comment: Comment; readonly place: IssuePlace }[];
  readonly referredByComments: ReferredByComments;
  /** The places of commits, by the repositories' ids. */
  readonly places: ReadonlyMap<number, IssuePlace>;
}

/** The subjects of entries, by id; removed and hidden ones are missing. */
export interface TimelineSubjects extends Referring {
  readonly users: ReadonlyMap<number, User>;
  readonly labels: ReadonlyMap<number, Label>;
  readonly milestones: ReadonlyMap<number, Milestone>;
  readonly teams: ReadonlyMap<number, Team>;
}

const given = (ids: readonly (number | undefined)[]): number[] =>
  ids.filter((id): id is number => id !== undefined && id !== 0);

/** Finds everything that entries of an issue's timeline are about, each thing once. */
export async function findTimelineSubjects(
  forge: Forge,
  actor: Actor | undefined,
  access: RepositoryAccess,
  entries: readonly TimelineEntry[],
): Promise<TimelineSubjects> {
  const userIds = given(
    entries.flatMap(({ authorId, assigneeId, time }) => [authorId, assigneeId, time?.userId]),
  );
  const milestoneIds = given(
    entries.flatMap(({ milestoneId, oldMilestoneId }) => [milestoneId, oldMilestoneId]),
  );
  const [users, labels, milestones, teams, referring] = await Promise.all([
    findUsersNear(forge, actor, [access], userIds),
    findLabelsById(forge, access, given(entries.map(({ labelId }) => labelId))),
    findMilestonesById(forge, access.repository.id, milestoneIds),
    findOwnersTeams(forge, access.owner.id, given(entries.map(({ teamId }) => teamId))),
    findReferring(forge, actor, access, entries),
  ]);
  return { users, labels, milestones, teams, ...referring };
}

/** An issue's address as text. */
export const addressText = ({ repositoryId, number }: IssueAddress): string => `${repositoryId}.${number}`;

/** The issues that an entry shows: another one, or for a tracked time its own. */
const relatedTo = ({ related, time, repositoryId, issueNumber }: TimelineEntry): IssueAddress[] => [
  ...(related === undefined ? [] : [related]),
  ...(time === undefined ? [] : [{ repositoryId, number: issueNumber }]),
];

async function findReferring(
  forge: Forge,
  actor: Actor | undefined,
  access: RepositoryAccess,
  entries: readonly TimelineEntry[],
): Promise<Referring> {
  const loader = accessLoader(forge, actor, access);
  const addresses = new Map(entries.flatMap(relatedTo).map((address) => [addressText(address), address]));
  const repositoryIds = [...new Set(entries.flatMap(({ commit }) => commit?.repositoryId ?? []))];
  const [placed, accesses] = await Promise.all([
    findPlacedIssues(forge, loader, [...addresses.values()]),
    Promise.all(repositoryIds.map((id) => loader.accessTo(id))),
  ]);
  const places = accesses.flatMap((one) => (one === undefined ? [] : [[one.repository.id, one] as const]));
  const issues = placed.map(({ issue, access: place }) => ({ issue, place }));
  const [referredByIssues, comments] = await Promise.all([
    findReferredByIssues(forge, actor, issues),
    findReferringComments(forge, actor, issues, entries),
  ]);
  return { issues, referredByIssues, ...comments, places: new Map(places) };
}

/** The comments that refer to the issue, when their issues are shown. */
async function findReferringComments(
  forge: Forge,
  actor: Actor | undefined,
  issues: readonly IssueInPlace[],
  entries: readonly TimelineEntry[],
) {
  const placeOf = new Map(issues.map(({ issue, place }) => [addressText(issue), place]));
  const keys = entries.flatMap(({ related, relatedCommentId }) =>
    related === undefined || relatedCommentId === undefined || !placeOf.has(addressText(related))
      ? []
      : [entryKey(related.repositoryId, related.number, relatedCommentId)],
  );
  const found = [...(await forge.table.getAll<Comment>(keys)).values()];
  const comments = found.flatMap((comment) => {
    const place = placeOf.get(addressText({ ...comment, number: comment.issueNumber }));
    return place === undefined ? [] : [{ comment, place }];
  });
  const places = [...new Set(comments.map(({ place }) => place))];
  return { comments, referredByComments: await findReferredByComments(forge, actor, places, found) };
}
