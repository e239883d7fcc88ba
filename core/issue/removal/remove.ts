import type { RepositoryAccess } from "../../access/repository-access.ts";
import { attachmentLeavingWrites } from "../../attachment/write.ts";
import { nowSeconds } from "../../clock.ts";
import { send } from "../../events/outbox.ts";
import type { Forge } from "../../forge.ts";
import { type NewJob, startJob } from "../../jobs/job.ts";
import { pullLeavingWrites } from "../../pull/leave.ts";
import type { CountChanges } from "../../repository/counts.ts";
import type { CountName } from "../../repository/repository.table.ts";
import { equals } from "../../table/condition.ts";
import { put, remove, type Write } from "../../table/write.ts";
import { changedWords } from "../../word-index/write.ts";
import { assigneeWrites } from "../assignees/assignees.ts";
import { commitIssueChange, getIssue, type PlannedChange } from "../change/change.ts";
import { milestoneWrites } from "../internal/milestones.ts";
import {
  createdRow,
  type Issue,
  type IssueTombstone,
  issueKey,
  issuePlace,
  issueTombstoneKey,
} from "../issue.table.ts";
import { commentCounts } from "../listing/counts.ts";
import { unpinWrites } from "../pins.ts";

/** The kind of the job that removes the content of a deleted issue. */
export const issueClearingKind = "clear-issue";

/**
 * Deletes an issue or pull: one transaction removes it from all lists and counts; a job removes its content. Its number
 * is never given again. NotFound as for the issue.
 */
export async function removeIssue(forge: Forge, access: RepositoryAccess, number: number): Promise<void> {
  let job: NewJob | undefined;
  await commitIssueChange(forge, access, async () => {
    const issue = await getIssue(forge, access, number);
    job = startJob(forge, issueClearingKind, { repositoryId: issue.repositoryId, number });
    return planRemoval(forge, issue, [job.write, remove(createdRow(issue))]);
  });
  if (job !== undefined) await send(forge, [job.message]);
}

/** The writes that remove an issue from everything that names it; its content stays, under a mark that hides it. */
export async function planRemoval(
  forge: Forge,
  issue: Issue,
  extraWrites: readonly Write[] = [],
): Promise<PlannedChange> {
  const { repositoryId, number } = issue;
  const words = { before: [issue.title, issue.body], after: [], v: issue.v + 1 };
  const [wordWrites, ofMilestone, ofPins, ofPull] = await Promise.all([
    changedWords(forge, issuePlace(issue), words),
    milestoneWrites(forge, issue, undefined, nowSeconds(forge.clock)),
    unpinWrites(forge, issue),
    pullLeavingWrites(forge, issue),
  ]);
  const mark: IssueTombstone = {
    ...issueTombstoneKey(repositoryId, number),
    number,
    ...(issue.kind === "pull" ? { isPull: true } : {}),
    _v: 1,
  };
  const writes = [
    ...wordWrites,
    ...ofMilestone,
    ...ofPins,
    ...assigneeWrites(issue, { ...issue, assigneeIds: [] }),
    ...attachmentLeavingWrites(forge, repositoryId, issue.attachmentIds),
    ...ofPull,
    put(mark),
    ...extraWrites,
  ];
  const gone = { ...issue, v: issue.v + 1 };
  return {
    change: { issue: gone, isRemoved: true, entries: [], events: [], counts: countsOf(issue), writes },
    issueWrite: remove(issueKey(repositoryId, number), equals({ v: issue.v })),
  };
}

/** The counts that the repository loses. */
function countsOf(issue: Issue): CountChanges {
  const { kind, isClosed, comments } = issue;
  const ofState: CountName =
    kind === "pull" ? (isClosed ? "closedPulls" : "openPulls") : isClosed ? "closedIssues" : "openIssues";
  return { ...commentCounts(issue, -comments), [ofState]: -1 };
}
