import type { Actor } from "../../actor.ts";
import { keepFormerContent } from "../../content-history/content-history.ts";
import { defined } from "../../defined.ts";
import { type OutboxEntry, outbox } from "../../events/outbox.ts";
import type { Forge } from "../../forge.ts";
import type { EventDetail } from "../../hook/event-detail.table.ts";
import { eventDetail } from "../../hook/event-detail.ts";
import { type IssueAction, type IssueEvent, repositoryEvent } from "../../hook/events.ts";
import { pullRowWrites, withoutSchedule } from "../../pull/pull.table.ts";
import type { CountChanges } from "../../repository/counts.ts";
import type { Write } from "../../table/write.ts";
import { changedWords } from "../../word-index/write.ts";
import { assigneeWrites } from "../assignees/assignees.ts";
import { milestoneWrites } from "../internal/milestones.ts";
import { type Issue, issuePlace } from "../issue.table.ts";
import { followText } from "../references/settle-references.ts";
import { writtenTextOf } from "../references/written-text.ts";
import type { FollowUp, IssueChange } from "./change.ts";
import { type EntryContent, type EntryIds, entriesFrom, entriesOfChange, onlyInFirst } from "./timeline.ts";

/** The user who changes an issue, and when. */
export interface Changing {
  readonly actor: Actor;
  /** Whole seconds. */
  readonly at: number;
  /** The date was given (B-01). */
  readonly isDated?: boolean;
  readonly entryIds: EntryIds;
  /** The commit that closes or reopens the issue, and its repository. */
  readonly commit?: { readonly repositoryId: number; readonly id: string };
  /** Somebody gave a pull request another base: hooks hear of that, and not of a base that follows by itself. */
  readonly tellsBase?: boolean;
  /** The labels to report, in this order. */
  readonly labelOrder?: readonly number[];
}

/** The members of an issue that a change may be about; the rest follows from them. */
const changeable = [
  "title",
  "body",
  "ref",
  "isClosed",
  "dueAt",
  "labelIds",
  "milestoneId",
  "assigneeIds",
] as const;

/** The entries that name the commit of a change. */
const ofState: readonly EntryContent["type"][] = ["close", "reopen", "merge_pull"];

/**
 * Everything that belongs to a change of an issue: its timeline, its events, counts, words, the rows of its assignees,
 * its milestones. Undefined when nothing changes.
 */
export async function planIssueChange(
  forge: Forge,
  before: Issue,
  wanted: Issue,
  changing: Changing,
): Promise<IssueChange | undefined> {
  const { actor, at, entryIds, labelOrder, commit } = changing;
  const isChanged = (name: (typeof changeable)[number]) => String(before[name]) !== String(wanted[name]);
  const hasNewPart = JSON.stringify(before.pull) !== JSON.stringify(wanted.pull);
  if (!hasNewPart && !changeable.some(isChanged)) return undefined;
  const hasNewState = before.isClosed !== wanted.isClosed;
  const closedAt = !hasNewState ? before.closedAt : wanted.isClosed ? at : 0;
  const edit = { userId: actor.user.id, at };
  const history = keepFormerContent(issuePlace(before), before, wanted.body, edit);
  const kept = hasNewState ? withoutSchedule(wanted) : wanted;
  const after: Issue = { ...kept, ...history.counted, closedAt, updatedAt: at };
  const texts = await textChange(forge, before, after, changing);
  const contents = entriesOfChange(before, after, labelOrder).map((one) =>
    commit !== undefined && ofState.includes(one.type) ? { ...one, commit } : one,
  );
  return {
    issue: after,
    entries: await entriesFrom(after, contents, { authorId: actor.user.id, at, entryIds }),
    ...(hasNewState ? { counts: stateCounts(after) } : {}),
    events: [
      ...texts.events,
      ...changeEvents(forge, before, after, actor, defined({ commitId: commit?.id })),
    ],
    writes: [
      ...texts.writes,
      ...history.writes,
      ...assigneeWrites(before, after),
      ...(await milestoneWrites(forge, before, after, at)),
      ...pullRowWrites(before, after),
    ],
    followUp: texts.followUp,
  };
}

/** A change that consists of one timeline entry and the changed issue. */
export async function entryChange(
  after: Issue,
  content: EntryContent,
  { actor, at, entryIds }: Changing,
): Promise<IssueChange> {
  const entries = await entriesFrom(after, [content], { authorId: actor.user.id, at, entryIds });
  return { issue: { ...after, updatedAt: at }, entries, events: [] };
}

/** The change of the counts of open and closed issues or pulls when one changes its state. */
function stateCounts({ kind, isClosed }: Issue): CountChanges {
  const by = isClosed ? 1 : -1;
  return kind === "pull" ? { closedPulls: by, openPulls: -by } : { closedIssues: by, openIssues: -by };
}

/** An event of an issue, for the transaction that causes it. */
export function issueEvent(
  forge: Forge,
  { repositoryId, number }: Issue,
  actor: Actor,
  action: IssueAction,
  more: Pick<IssueEvent, "commitId" | "assigneeIds" | "isOpening"> = {},
): OutboxEntry {
  const origin = { repositoryId, actorId: actor.user.id, at: forge.clock.now() };
  return outbox(
    forge,
    "repository-events",
    repositoryEvent({
      ...{ kind: "issue", action, index: number, ...origin },
      ...defined({ causerId: actor.causerId }),
      ...more,
    }),
  );
}

/** The events of a change, except those of texts (semantics §27.3). */
export function changeEvents(
  forge: Forge,
  before: Issue,
  after: Issue,
  actor: Actor,
  { commitId, isOpening }: Pick<IssueEvent, "commitId" | "isOpening"> = {},
): OutboxEntry[] {
  const actions: IssueAction[] = [];
  if (before.labelIds.join() !== after.labelIds.join()) {
    actions.push(after.labelIds.length === 0 ? "label_cleared" : "label_updated");
  }
  if (before.milestoneId !== after.milestoneId) {
    actions.push(after.milestoneId === 0 ? "demilestoned" : "milestoned");
  }
  if (onlyInFirst(before.assigneeIds, after.assigneeIds).length > 0) actions.push("unassigned");
  const added = onlyInFirst(after.assigneeIds, before.assigneeIds);
  if (added.length > 0) actions.push("assigned");
  if (before.isClosed !== after.isClosed) actions.push(after.isClosed ? "closed" : "reopened");
  return actions.map((action) => {
    const assigned = action === "assigned" ? { assigneeIds: added, ...defined({ isOpening }) } : {};
    return issueEvent(forge, after, actor, action, { ...defined({ commitId }), ...assigned });
  });
}

async function textChange(
  forge: Forge,
  before: Issue,
  after: Issue,
  { actor, at, isDated = false, tellsBase = false }: Changing,
): Promise<{ events: OutboxEntry[]; writes: Write[]; followUp?: FollowUp | undefined }> {
  const ref = tellsBase && before.pull?.base !== after.pull?.base ? before.pull?.base : undefined;
  const hasNewText = before.title !== after.title || before.body !== after.body;
  if (!hasNewText && ref === undefined) return { events: [], writes: [] };
  const edited = issueEvent(forge, before, actor, "edited");
  const told = (former: EventDetail) => eventDetail(forge, edited.message.eventId, former);
  if (!hasNewText) return { events: [edited], writes: [told(defined({ ref }))] };
  const words = changedWords(forge, issuePlace(before), {
    before: [before.title, before.body],
    after: [after.title, after.body],
    v: before.v + 1,
  });
  const former = {
    ...(before.title === after.title ? {} : { title: before.title }),
    ...(before.body === after.body ? {} : { body: before.body }),
    ...defined({ ref }),
  };
  return {
    events: [edited],
    writes: [told(former), ...(await words)],
    followUp: followText(
      forge,
      { repositoryId: before.repositoryId, number: before.number, commentId: 0 },
      { before: writtenTextOf(before), after: writtenTextOf(after) },
      { actor, at, isDated },
    ),
  };
}
