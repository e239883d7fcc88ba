import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import type { PartStep } from "../jobs/passes.ts";
import { foundByActor } from "../lifecycle/found-by-actor.ts";
import type { EndedUser, Lifecycle } from "../lifecycle/lifecycle.ts";
import { compactionMessage } from "../word-index/word-index.ts";
import { issueChecks } from "./issue.check.ts";
import {
  assignedIssuesOf,
  assignedRow,
  createdIssuesOf,
  createdRow,
  type Issue,
  issueKey,
  subscriptionPrefix,
  type UserIssueRow,
} from "./issue.table.ts";
import type { IssueAddress } from "./placed-issues.ts";
import { purgeIssue, unassignUser } from "./removal/purge.ts";

const issuesPerStep = 10;

async function purgeIssues(forge: Forge, { userId, purges, clearIssue }: EndedUser): Promise<PartStep> {
  if (!purges) return { hasFound: false, hasMore: false };
  const { items, next } = await forge.table.query<UserIssueRow>({
    ...createdIssuesOf(userId),
    limit: issuesPerStep,
  });
  for (const row of items) {
    await purgeIssue(forge, clearIssue, row);
    await forge.table.removeAll([row]); // Removed last: a job that was killed finds the rest of the issue by it.
    await send(forge, [compactionMessage(row.repositoryId)]);
  }
  return { hasFound: items.length > 0, hasMore: next !== undefined };
}

async function endAssignments(forge: Forge, { userId }: EndedUser): Promise<PartStep> {
  const { items, next } = await forge.table.query<UserIssueRow>({
    ...assignedIssuesOf(userId),
    limit: issuesPerStep,
  });
  for (const row of items) await unassignUser(forge, row, userId);
  await forge.table.removeAll(items);
  return { hasFound: items.length > 0, hasMore: next !== undefined };
}

/** Its rows at users, as long as it is there to name them: a deletion of the issue itself has removed them. */
async function removeRows({ table }: Forge, { repositoryId, number }: IssueAddress): Promise<void> {
  const issue = await table.get<Issue>(issueKey(repositoryId, number));
  if (issue === undefined) return;
  const assigned = issue.assigneeIds.map((userId) => assignedRow(issue, userId));
  await table.removeAll([createdRow(issue), ...assigned]);
}

/** Issues and pulls. */
export const issueLifecycle: Lifecycle = {
  noun: "issue",
  items: [
    { at: "I#<repository>.<number> / #", counter: "issue" },
    { at: "I#<repository>.<number> / SUB#<user>" },
    { at: "R#<repository> / GONE#<number>" },
    { at: "R#<repository> / PINS" },
    { at: "U#<user>#I / c#<issue>" },
    { at: "U#<user>#I / a#<issue>" },
    { at: "SEQ#issue#<repository> / #" },
  ],
  ends: {
    user: {
      issues: { stage: "issues", step: purgeIssues },
      subscriptions: foundByActor(subscriptionPrefix),
      assignments: { step: endAssignments },
    },
    issue: { elsewhere: removeRows },
  },
  checks: issueChecks,
};
