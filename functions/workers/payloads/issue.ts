import type { Forge } from "#core/forge";
import type { Notice } from "#core/hook/announce";
import { findEventDetail } from "#core/hook/event-detail";
import type { EventType } from "#core/hook/event-types";
import type { IssueAction, IssueEvent } from "#core/hook/events";
import { type Issue, issueKey } from "#core/issue/issue.table";
import { isPullRequest } from "#core/pull/pull.table";
import { showIssue } from "../../api/issue/show.ts";
import { showPull } from "../../api/pull/show.ts";
import { presentRepository } from "../../api/repository/present.ts";
import type { IsWanted } from "./push.ts";
import type { Subject } from "./subject.ts";

/** The event types of a thing that happens to issues and to pull requests. */
interface EventTypes {
  readonly issue: EventType;
  readonly pull: EventType;
}

const labels = { issue: "issue_label", pull: "pull_request_label" } as const;
const milestones = { issue: "issue_milestone", pull: "pull_request_milestone" } as const;
const assignees = { issue: "issue_assign", pull: "pull_request_assign" } as const;

/** The event types of actions that have one of their own. */
const ownTypes: Partial<Record<IssueAction, EventTypes>> = {
  label_updated: labels,
  label_cleared: labels,
  milestoned: milestones,
  demilestoned: milestones,
  assigned: assignees,
  unassigned: assignees,
  synchronized: { issue: "issues", pull: "pull_request_sync" },
};

/**
 * The notice about an issue or pull request for hooks, which show it as it is now; none when it is gone, or no hook
 * would hear of it.
 */
export async function issueNotice(
  forge: Forge,
  event: IssueEvent & { readonly eventId: string },
  subject: Subject,
  isWanted: IsWanted,
): Promise<Notice[]> {
  const types = ownTypes[event.action] ?? { issue: "issues", pull: "pull_request" };
  const issue = await wantedIssue(forge, event, types, isWanted);
  if (issue === undefined) return [];
  const { view, details, sender } = subject;
  const payload = {
    action: event.action,
    number: issue.number,
    ...(event.action === "edited" ? await changesOf(forge, event.eventId) : {}),
    ...(isPullRequest(issue)
      ? { ...(await pullPart(forge, subject, issue)), requested_reviewer: null, review: null }
      : { issue: await showIssue(forge, view, details, issue) }),
    repository: presentRepository(view, details),
    sender,
    commit_id: event.commitId ?? "",
  };
  return [{ eventType: types[issue.kind], what: event.action, payloadFor: () => payload }];
}

/** The issue or pull request of an event, when a hook wants to hear of its kind. */
export async function wantedIssue(
  { table }: Forge,
  { repositoryId, index }: { readonly repositoryId: number; readonly index: number },
  types: EventTypes,
  isWanted: IsWanted,
): Promise<Issue | undefined> {
  const wanted = {
    issue: await isWanted({ eventType: types.issue }),
    pull: await isWanted({ eventType: types.pull }),
  };
  if (!wanted.issue && !wanted.pull) return undefined;
  const issue = await table.get<Issue>(issueKey(repositoryId, index));
  return issue !== undefined && wanted[issue.kind] ? issue : undefined;
}

/** The pull request in a payload: whoever may read the base may receive it, so a hidden head repository is left out. */
export async function pullPart(forge: Forge, { view, details }: Subject, issue: Issue): Promise<object> {
  if (!isPullRequest(issue)) return {};
  return { pull_request: await showPull(forge, view, details, issue) };
}

/** `changes`, with the former text of each thing that was changed. */
export async function changesOf(forge: Forge, eventId: string): Promise<{ changes: object }> {
  const former = Object.entries(await findEventDetail(forge, eventId));
  return { changes: Object.fromEntries(former.map(([name, from]) => [name, { from }])) };
}
