import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { type NewEntry, newEntry, type TimelineEntry } from "../comment/comment.table.ts";
import { type ForgeError, missingRights } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { eventDetail, repositoryEvent } from "../hook/hook.ts";
import { nextId } from "../ids.ts";
import { type OutboxEntry, outbox } from "../outbox.ts";
import type { CountChanges } from "../repository/repository.ts";
import type { Write } from "../table.ts";
import { bodyProblem, titleProblem } from "../text.ts";
import { changedWords } from "../word-index/word-index.ts";
import { change, type IssueChange } from "./change.ts";
import { type Issue, textPlace } from "./issue.table.ts";
import { isWriter, mayEdit } from "./rights.ts";

/** What may be changed of an issue; absent members stay as they are. */
export interface IssueChanges {
  readonly title?: string;
  readonly body?: string;
  readonly ref?: string;
  readonly isClosed?: boolean;
  /** Whole seconds, 0: none. Ignored unless the caller may write issues. */
  readonly dueAt?: number;
}

/**
 * Edits an issue: its author and writers may, for others the rights are missing. 422 when a text is over its bound.
 * `at` is the time of the change in whole seconds, now when absent.
 */
export async function edit(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  changes: IssueChanges,
  actor: Actor,
  at: number = nowSeconds(forge.clock),
): Promise<Issue> {
  const problem = textProblem(changes);
  const drawn: number[] = [];
  const entryId = async (place: number) => (drawn[place] ??= await nextId(forge.table, "comment"));
  const { issue: edited } = await change(forge, access, number, async (issue) => {
    if (!mayEdit(access.rights, actor, issue))
      throw missingRights("only its author and writers may edit an issue");
    if (problem !== undefined) throw problem;
    const { dueAt, ...others } = changes;
    const allowed = isWriter(access.rights, issue.kind) ? changes : others;
    return planEdit(forge, issue, allowed, { actor, at, entryId });
  });
  return edited;
}

/** Why an issue may not have these texts (D-TEXT), or undefined when it may. */
export function textProblem({ title, body, ref }: IssueChanges): ForgeError | undefined {
  return (
    (title === undefined ? undefined : titleProblem("Title", title)) ??
    (body === undefined ? undefined : bodyProblem("Body", body)) ??
    (ref ? titleProblem("Ref", ref) : undefined)
  );
}

/** By how much the counts of open and closed issues or pulls change when one changes its state. */
export function stateCounts({ kind, isClosed }: Issue): CountChanges {
  const by = isClosed ? 1 : -1;
  return kind === "pull" ? { closedPulls: by, openPulls: -by } : { closedIssues: by, openIssues: -by };
}

/** An event of an issue, for the transaction that causes it. */
export function issueEvent(
  forge: Forge,
  { repositoryId, number }: Issue,
  actor: Actor,
  action: "opened" | "edited" | "closed" | "reopened",
): OutboxEntry {
  const origin = { repositoryId, actorId: actor.user.id, at: forge.clock.now() };
  return outbox(
    forge,
    "repository-events",
    repositoryEvent({ kind: "issue", action, index: number, ...origin }),
  );
}

/** Who edits, when, and the ids of the timeline entries, which stay the same when the edit has to be planned again. */
interface Editing {
  readonly actor: Actor;
  readonly at: number;
  readonly entryId: (place: number) => Promise<number>;
}

async function planEdit(
  forge: Forge,
  before: Issue,
  changes: IssueChanges,
  editing: Editing,
): Promise<IssueChange | undefined> {
  const { actor, at } = editing;
  const after: Issue = { ...before, ...changes };
  const changed = (["title", "body", "ref", "isClosed", "dueAt"] as const).filter(
    (name) => before[name] !== after[name],
  );
  if (changed.length === 0) return undefined;
  const hasNewState = changed.includes("isClosed");
  const closedAt = !hasNewState ? before.closedAt : after.isClosed ? at : 0;
  const events: OutboxEntry[] = [];
  const writes: Write[] = [];
  if (changed.includes("title") || changed.includes("body")) {
    const edited = issueEvent(forge, before, actor, "edited");
    events.push(edited);
    writes.push(eventDetail(forge, edited.message.eventId, formerTexts(before, after)));
    writes.push(...(await wordWrites(forge, before, after)));
  }
  if (hasNewState) events.push(issueEvent(forge, before, actor, after.isClosed ? "closed" : "reopened"));
  return {
    issue: { ...after, closedAt, updatedAt: at },
    entries: await entriesOf(before, after, editing),
    ...(hasNewState ? { counts: stateCounts(after) } : {}),
    events,
    writes,
  };
}

const wordWrites = (forge: Forge, before: Issue, after: Issue): Promise<Write[]> =>
  changedWords(forge, textPlace(before), {
    before: [before.title, before.body],
    after: [after.title, after.body],
    v: before.v + 1,
  });

const formerTexts = (before: Issue, after: Issue): { title?: string; body?: string } => ({
  ...(before.title === after.title ? {} : { title: before.title }),
  ...(before.body === after.body ? {} : { body: before.body }),
});

/** The timeline entries that tell of a change; a new body has none. */
async function entriesOf(
  before: Issue,
  after: Issue,
  { actor, at, entryId }: Editing,
): Promise<TimelineEntry[]> {
  const told: Omit<NewEntry, "id" | "authorId" | "createdAt">[] = [];
  if (before.title !== after.title) {
    told.push({ type: "change_title", oldTitle: before.title, newTitle: after.title });
  }
  if (before.ref !== after.ref)
    told.push({ type: "change_issue_ref", oldRef: before.ref, newRef: after.ref });
  if (before.dueAt !== after.dueAt) told.push(deadlineEntry(before.dueAt, after.dueAt));
  if (before.isClosed !== after.isClosed) told.push({ type: after.isClosed ? "close" : "reopen" });
  const entries: TimelineEntry[] = [];
  for (const [place, one] of told.entries()) {
    const id = await entryId(place);
    entries.push(newEntry(after, { id, authorId: actor.user.id, createdAt: at, ...one }));
  }
  return entries;
}

function deadlineEntry(before: number, after: number): Pick<NewEntry, "type" | "body"> {
  const day = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10);
  if (before === 0) return { type: "added_deadline", body: day(after) };
  if (after === 0) return { type: "removed_deadline", body: day(before) };
  return { type: "modified_deadline", body: `${day(after)}|${day(before)}` };
}
