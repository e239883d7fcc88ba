import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import type { Forge } from "../forge.ts";
import { nextId, nextIssueNumber } from "../ids.ts";
import { byLabelName } from "../label/label.ts";
import { findMilestone } from "../milestone/milestone.ts";
import { absent } from "../table/condition.ts";
import { put } from "../table/write.ts";
import { newWords } from "../word-index/write.ts";
import { assigneeWrites, findAssignees } from "./assignees.ts";
import { requireUnblocked } from "./blocks.ts";
import { commitIssueChange, getIssue, type IssueChange } from "./change.ts";
import { issueTextProblem } from "./edit.ts";
import { milestoneWrites } from "./internal/milestones.ts";
import { authorKeys, createdRow, type Issue, issueKey, issuePlace } from "./issue.table.ts";
import { addIssueLabels, findLabels, requireOnePerScope } from "./labels.ts";
import { type Changing, changeEvents, issueEvent } from "./plan-change.ts";
import { isIssueWriter } from "./rights.ts";
import { followText } from "./settle-references.ts";
import { entriesFrom, entriesOfChange, entryIds } from "./timeline.ts";
import { writtenTextOf } from "./written-text.ts";

/** The parts of a new issue. */
export interface NewIssue {
  readonly title: string;
  readonly body?: string;
  readonly ref?: string;
  /** Opened and closed at once. */
  readonly isClosed?: boolean;
  /** Whole seconds. This and the following members are ignored unless the caller may write issues. */
  readonly dueAt?: number;
  /** Unknown ones are dropped. */
  readonly labelIds?: readonly number[];
  /** An unknown one is dropped. */
  readonly milestoneId?: number;
  readonly assignees?: readonly string[];
}

/** How many labels one transaction holds beside the rest of a new issue; further ones are added afterwards. */
const mostLabelsAtFirst = 25;

/**
 * Opens an issue under the next number (D-NUMBER). 422 when a text is over its bound, two labels exclude each other
 * (D-LABEL), or a user can't be an assignee; Forbidden when the owner blocks the caller: then no number is used up.
 */
export async function createIssue(
  forge: Forge,
  access: RepositoryAccess,
  given: NewIssue,
  actor: Actor,
): Promise<Issue> {
  const problem = issueTextProblem(given);
  if (problem !== undefined) throw problem;
  const { id: repositoryId, ownerId } = access.repository;
  await requireUnblocked(forge, access, actor, ownerId);
  const parts = isIssueWriter(access.rights, "issue") ? await partsOf(forge, access, given, actor) : noParts;
  const [id, number] = await Promise.all([
    nextId(forge.table, "issue"),
    nextIssueNumber(forge.table, repositoryId),
  ]);
  const { labelOrder, laterLabelIds, ...ofWriter } = parts;
  const issue = { ...newIssue(forge, { repositoryId, id, number }, given, actor), ...ofWriter };
  const drawIds = entryIds(forge);
  await commitIssueChange(forge, access, async () => ({
    change: await creation(forge, issue, { actor, at: issue.createdAt, entryIds: drawIds, labelOrder }),
    issueWrite: put(issue, absent),
  }));
  if (laterLabelIds.length === 0) return issue;
  await addIssueLabels(forge, access, number, laterLabelIds, { actor });
  return getIssue(forge, access, number);
}

type Parts = Pick<Issue, "dueAt" | "labelIds" | "milestoneId" | "assigneeIds"> & {
  readonly labelOrder: readonly number[];
  /** Labels that are added once the issue is there, in the order of their names. */
  readonly laterLabelIds: readonly number[];
};
const noParts: Parts = {
  ...{ dueAt: 0, labelIds: [], milestoneId: 0, assigneeIds: [] },
  ...{ labelOrder: [], laterLabelIds: [] },
};

/** The members that only writers give to a new issue. */
async function partsOf(
  forge: Forge,
  access: RepositoryAccess,
  { dueAt = 0, labelIds = [], milestoneId = 0, assignees = [] }: NewIssue,
  actor: Actor,
): Promise<Parts> {
  const [labels, milestone, assigneeIds] = await Promise.all([
    findLabels(forge, access, labelIds),
    milestoneId === 0 ? undefined : findMilestone(forge, access.repository.id, milestoneId),
    findAssignees(forge, access, actor, assignees),
  ]);
  requireOnePerScope(labels);
  const ids = [...labels].sort(byLabelName).map(({ id }) => id);
  const labelOrder = ids.slice(0, mostLabelsAtFirst);
  return {
    dueAt,
    labelIds: [...labelOrder].sort((one, other) => one - other),
    milestoneId: milestone?.id ?? 0,
    assigneeIds,
    labelOrder,
    laterLabelIds: ids.slice(mostLabelsAtFirst),
  };
}

/** All writes of a new issue. Its timeline tells everything that makes it more than a bare open one. */
async function creation(forge: Forge, issue: Issue, changing: Changing): Promise<IssueChange> {
  const { actor, at, entryIds, labelOrder } = changing;
  const bare: Issue = { ...issue, labelIds: [], milestoneId: 0, assigneeIds: [], isClosed: false };
  const contents = entriesOfChange(bare, issue, labelOrder);
  return {
    issue,
    entries: await entriesFrom(issue, contents, { authorId: actor.user.id, at, entryIds }),
    counts: issue.isClosed ? { closedIssues: 1 } : { openIssues: 1 },
    events: [issueEvent(forge, issue, actor, "opened"), ...changeEvents(forge, bare, issue, actor)],
    writes: [
      put(createdRow(issue)),
      ...newWords(issuePlace(issue), [issue.title, issue.body], issue.v),
      ...assigneeWrites(bare, issue),
      ...(await milestoneWrites(forge, undefined, issue, at)),
    ],
    followUp: followText(
      forge,
      { repositoryId: issue.repositoryId, number: issue.number, commentId: 0 },
      { before: "", after: writtenTextOf(issue) },
      { actor, at, isDated: false },
    ),
  };
}

function newIssue(
  forge: Forge,
  place: Pick<Issue, "repositoryId" | "id" | "number">,
  given: NewIssue,
  actor: Actor,
): Issue {
  const now = nowSeconds(forge.clock);
  const key = issueKey(place.repositoryId, place.number);
  const isClosed = given.isClosed ?? false;
  return {
    ...key,
    ...authorKeys(actor.user.id, "issue", key),
    ...place,
    kind: "issue",
    authorId: actor.user.id,
    title: given.title,
    body: given.body ?? "",
    ref: given.ref ?? "",
    isClosed,
    isLocked: false,
    labelIds: [],
    milestoneId: 0,
    assigneeIds: [],
    pin: 0,
    comments: 0,
    dueAt: 0,
    createdAt: now,
    updatedAt: now,
    closedAt: isClosed ? now : 0,
    v: 1,
    _v: 1,
  };
}
