import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { hasOpenDependencies } from "../dependency/dependency.ts";
import { type ForgeError, missingRights, preconditionFailed } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { isDraftTitle } from "../pull/draft.ts";
import type { PullPart } from "../pull/pull.table.ts";
import { requireNewBase, requireStateChange } from "../pull/state-change.ts";
import { bodyProblem, titleProblem } from "../text.ts";
import { findAssignees } from "./assignees/assignees.ts";
import { changeIssue, getIssue } from "./change/change.ts";
import { planIssueChange } from "./change/plan-change.ts";
import { entryIds } from "./change/timeline.ts";
import { dateOfChange } from "./change/update-date.ts";
import type { Issue } from "./issue.table.ts";
import { requireIssueUnlocked } from "./lock.ts";
import { isIssueWriter, mayEditIssue } from "./rights.ts";

/** The changes of an issue; absent members stay as they are. */
export interface IssueChanges {
  readonly title?: string;
  readonly body?: string;
  readonly ref?: string;
  readonly isClosed?: boolean;
  /** Of a pull request: what changes in this part. */
  readonly pull?: Partial<PullPart>;
  /** Whole seconds, 0: none. This and the following members are ignored unless the caller may write issues. */
  readonly dueAt?: number;
  /** 0: none. */
  readonly milestoneId?: number;
  /** All assignees after the change, by name. */
  readonly assignees?: readonly string[];
}

/** Members that only writers may change: from others they are ignored. */
const ofWriters = ["dueAt", "milestoneId", "assignees"] as const;

/**
 * Edits an issue. Its author (not while it is locked) and writers may. 422 when a text is over its bound, for an
 * unknown milestone, and for an impossible assignee; 412 when it waits for open issues and is to be closed. `updatedAt`
 * is the given date of the change (B-01, B-02), now when absent; alone, it sets the issue's date.
 */
export async function editIssue(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  changes: IssueChanges,
  actor: Actor,
  updatedAt?: number,
): Promise<Issue> {
  const problem = issueTextProblem(changes);
  const drawIds = entryIds(forge);
  const { issue: edited } = await changeIssue(forge, access, number, async (issue) => {
    requireEditor(access, issue, actor);
    const at = dateOfChange(forge, access, issue, updatedAt);
    if (problem !== undefined) throw problem;
    const wanted = await wantedOf(forge, access, issue, changes, actor);
    if (!issue.isClosed && wanted.isClosed && (await hasOpenDependencies(forge, access, issue))) {
      throw preconditionFailed("the issue waits for others that are open: close these first");
    }
    const { isClosed } = changes;
    const opening = isClosed === undefined ? [] : await requireStateChange(forge, issue, isClosed);
    const checks = [...opening, ...(await requireNewBase(forge, issue, wanted))];
    const changing = { actor, at, isDated: updatedAt !== undefined, tellsBase: true, entryIds: drawIds };
    const planned = await planIssueChange(forge, issue, wanted, changing);
    if (planned !== undefined) return { ...planned, writes: [...(planned.writes ?? []), ...checks] };
    if (updatedAt === undefined) return undefined;
    return { issue: { ...issue, updatedAt: at }, entries: [], events: [] };
  });
  return edited;
}

/**
 * Throws unless the caller may edit an issue: its author (not while it is locked) and writers may. NotFound when there
 * is none.
 */
export async function requireIssueEditable(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  actor: Actor,
): Promise<void> {
  requireEditor(access, await getIssue(forge, access, number), actor);
}

function requireEditor(access: RepositoryAccess, issue: Issue, actor: Actor): void {
  if (!mayEditIssue(access.rights, actor, issue))
    throw missingRights("only its author and writers may edit an issue");
  requireIssueUnlocked(access, issue);
}

/** Why an issue may not have these texts (D-TEXT), or undefined when it may. */
export function issueTextProblem({ title, body, ref }: IssueChanges): ForgeError | undefined {
  return (
    (title === undefined ? undefined : titleProblem("Title", title)) ??
    (body === undefined ? undefined : bodyProblem("Body", body)) ??
    (ref ? titleProblem("Ref", ref) : undefined)
  );
}

async function wantedOf(
  forge: Forge,
  access: RepositoryAccess,
  issue: Issue,
  changes: IssueChanges,
  actor: Actor,
): Promise<Issue> {
  const allowed: { -readonly [Name in keyof IssueChanges]: IssueChanges[Name] } = { ...changes };
  if (!isIssueWriter(access.rights, issue.kind)) for (const name of ofWriters) delete allowed[name];
  const { assignees, pull, ...others } = allowed;
  const assigneeIds =
    assignees === undefined ? issue.assigneeIds : await findAssignees(forge, access, actor, assignees);
  const isDraft = isDraftTitle(forge.config, allowed.title ?? issue.title);
  const part = issue.pull === undefined ? {} : { pull: { ...issue.pull, ...pull, isDraft } };
  return { ...issue, ...(others as Partial<Issue>), assigneeIds, ...part };
}
