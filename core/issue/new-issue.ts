import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import type { Forge } from "../forge.ts";
import { byLabelName } from "../label/label.ts";
import { findMilestone } from "../milestone/milestone.ts";
import { pullRowWrites } from "../pull/pull.table.ts";
import type { CountChanges } from "../repository/counts.ts";
import { put } from "../table/write.ts";
import { newWords } from "../word-index/write.ts";
import { assigneeWrites, findAssignees } from "./assignees/assignees.ts";
import type { IssueChange } from "./change/change.ts";
import { type Changing, changeEvents, issueEvent } from "./change/plan-change.ts";
import { entriesFrom, entriesOfChange } from "./change/timeline.ts";
import { milestoneWrites } from "./internal/milestones.ts";
import { authorKeys, createdRow, type Issue, issueKey, issuePlace } from "./issue.table.ts";
import { findLabels, requireOnePerScope } from "./labels/labels.ts";
import { followText } from "./references/settle-references.ts";
import { writtenTextOf } from "./references/written-text.ts";

/** The parts of a new issue or pull request. */
export interface NewIssue {
  readonly title: string;
  readonly body?: string;
  readonly ref?: string;
  /** Opened and closed at once. */
  readonly isClosed?: boolean;
  /** Whole seconds. This and the following members are ignored unless the caller may write the kind. */
  readonly dueAt?: number;
  /** Unknown ones are dropped. */
  readonly labelIds?: readonly number[];
  /** An unknown one is dropped. */
  readonly milestoneId?: number;
  readonly assignees?: readonly string[];
}

/** The members that only writers give. */
export type WriterParts = Pick<Issue, "dueAt" | "labelIds" | "milestoneId" | "assigneeIds"> & {
  readonly labelOrder: readonly number[];
  /** Labels that are added once the issue is there, in the order of their names. */
  readonly laterLabelIds: readonly number[];
};

export const noWriterParts: WriterParts = {
  ...{ dueAt: 0, labelIds: [], milestoneId: 0, assigneeIds: [] },
  ...{ labelOrder: [], laterLabelIds: [] },
};

/** How many labels one transaction holds beside the rest of a new issue; further ones are added afterwards. */
const mostLabelsAtFirst = 25;

/** The members that only writers give to a new issue. 422 as in `createIssue`. */
export async function writerPartsOf(
  forge: Forge,
  access: RepositoryAccess,
  { dueAt = 0, labelIds = [], milestoneId = 0, assignees = [] }: NewIssue,
  actor: Actor,
): Promise<WriterParts> {
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

/** An issue or pull request as it begins, without what only writers give. */
export function bareIssue(
  forge: Forge,
  place: Pick<Issue, "repositoryId" | "id" | "number" | "kind">,
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

/** All writes of a new issue. Its timeline tells everything that makes it more than a bare open one. */
export async function planNewIssue(forge: Forge, issue: Issue, changing: Changing): Promise<IssueChange> {
  const { actor, at, entryIds, labelOrder } = changing;
  const bare: Issue = { ...issue, labelIds: [], milestoneId: 0, assigneeIds: [], isClosed: false };
  const contents = entriesOfChange(bare, issue, labelOrder);
  return {
    issue,
    entries: await entriesFrom(issue, contents, { authorId: actor.user.id, at, entryIds }),
    counts: firstCount(issue),
    events: [
      issueEvent(forge, issue, actor, "opened"),
      ...changeEvents(forge, bare, issue, actor, { isOpening: true }),
    ],
    writes: [
      put(createdRow(issue)),
      ...newWords(issuePlace(issue), [issue.title, issue.body], issue.v),
      ...assigneeWrites(bare, issue),
      ...(await milestoneWrites(forge, undefined, issue, at)),
      ...pullRowWrites(undefined, issue),
    ],
    followUp: followText(
      forge,
      { repositoryId: issue.repositoryId, number: issue.number, commentId: 0 },
      { before: "", after: writtenTextOf(issue) },
      { actor, at, isDated: false },
    ),
  };
}

function firstCount({ kind, isClosed }: Issue): CountChanges {
  if (kind === "pull") return { openPulls: 1 };
  return isClosed ? { closedIssues: 1 } : { openIssues: 1 };
}
