import type { RepositoryAccess } from "../../access/repository-access.ts";
import { rowOf, type TimelineEntry } from "../../comment/comment.table.ts";
import { attempts } from "../../concurrency/attempts.ts";
import { inTurn } from "../../concurrency/turns.ts";
import { conflict, notFound } from "../../errors.ts";
import { type OutboxEntry, send } from "../../events/outbox.ts";
import type { Forge } from "../../forge.ts";
import { noteDeltaWrite } from "../../list-index/compaction-requests.ts";
import { deltaWrite, tombstoneWrite } from "../../list-index/list-index.ts";
import { type CountChanges, repositoryCountsWrite, splitCounts } from "../../repository/counts.ts";
import type { Repository } from "../../repository/repository.table.ts";
import { equals } from "../../table/condition.ts";
import { keyText, put, type Write } from "../../table/write.ts";
import { issueIndex } from "../issue.index.ts";
import { type Issue, indexEntry, issueKey } from "../issue.table.ts";
import { isIssueReadable } from "../rights.ts";

/**
 * Work that follows a change at once, while the caller waits: `write` records it in the change's transaction, so that a
 * crash does not lose it. It never throws: failed work is left to the queue.
 */
export interface FollowUp {
  readonly write: Write;
  readonly work: () => Promise<void>;
}

/** The change of an issue, all in one transaction. */
export interface IssueChange {
  /** The changed issue; its `v` is the old one. */
  readonly issue: Issue;
  /** The issue is removed: this is its last state, with the next version. */
  readonly isRemoved?: true;
  /** New entries of its timeline. */
  readonly entries: readonly TimelineEntry[];
  readonly counts?: CountChanges;
  readonly events: readonly OutboxEntry[];
  /** Further writes of the transaction. */
  readonly writes?: readonly Write[];
  readonly followUp?: FollowUp | undefined;
  /** This is one step of a change that takes several transactions, and not the last. */
  readonly hasMore?: boolean;
}

/** The members of a repository that issues need. */
type IssueAccess = Pick<RepositoryAccess, "repository" | "rights">;

/**
 * After this many conflicts in a row a transaction is built anew, from fresh reads; from then on after each, so that
 * the pauses in between grow with the crowd, and each attempt tries another part of the counts.
 */
const mostConflicts = { atFirst: 3, later: 1 } as const;

/** The issue or pull with this number. NotFound when there is none, or the caller may not read its kind. */
export async function getIssue(forge: Forge, access: IssueAccess, number: number): Promise<Issue> {
  const issue = await forge.table.get<Issue>(issueKey(access.repository.id, number));
  if (issue === undefined || !isIssueReadable(access.rights, issue.kind)) {
    throw notFound(`issue does not exist [index: ${number}]`);
  }
  return issue;
}

/**
 * Changes an issue: `plan` turns the issue as read into the change, or into undefined for no change. When another
 * change came first, the issue is read and planned anew. NotFound as in `getIssue`; Conflict when others keep changing
 * it.
 */
export const changeIssue = (
  forge: Forge,
  access: IssueAccess,
  number: number,
  plan: ChangePlan,
): Promise<IssueChange> => changeInSteps(forge, access, number, () => plan);

type ChangePlan = (issue: Issue) => Promise<IssueChange | undefined>;

/**
 * Like `changeIssue`, for a change that may be too large for one transaction: `nextStep` plans each step, until one
 * without `hasMore`; the last one is answered. Every step uses the issue as it is then and is complete in itself, with
 * its entries and events, so that a crash between two leaves what several requests might have made. Changes of this
 * process wait until all steps are done; when those of another process come in between, the pauses grow, so that one
 * gets through.
 */
export async function changeInSteps(
  forge: Forge,
  access: IssueAccess,
  number: number,
  nextStep: () => ChangePlan,
): Promise<IssueChange> {
  const read = (plan: ChangePlan) => async (): Promise<PlannedChange> => {
    const issue = await getIssue(forge, access, number);
    const planned = await plan(issue);
    if (planned === undefined) return { change: { issue, entries: [], events: [] } };
    const changed = { ...planned.issue, v: issue.v + 1 };
    return { change: { ...planned, issue: changed }, issueWrite: put(changed, equals({ v: issue.v })) };
  };
  const writing = () => writeSteps(forge, () => writeOnce(forge, access, read(nextStep())));
  return finish(forge, await inTurn(forge, keyText(issueKey(access.repository.id, number)), writing));
}

/** Writes one step after the other; answers the last one, which is still to be finished. */
async function writeSteps(forge: Forge, write: () => Promise<PlannedChange>): Promise<PlannedChange> {
  const pauses = attempts();
  for (let left: number | undefined; ; ) {
    const step = await write();
    const { issue, hasMore = false } = step.change;
    if (!hasMore) return step;
    await finish(forge, step);
    const hadRivals = left === undefined || issue.v !== left + 1;
    if (hadRivals && (await pauses.next()).done) throw lostToOthers();
    left = issue.v;
  }
}

/**
 * For a transaction about something else that also changes an issue, on the condition that the issue is as it was read.
 */
export function rewriteIssue(issue: Issue, changes: Partial<Issue>): Write[] {
  const next: Issue = { ...issue, ...changes, v: issue.v + 1 };
  const index = issueIndex(issue.repositoryId);
  return [put(next, equals({ v: issue.v })), deltaWrite(index, issue.number, indexEntry(next), next.v)];
}

/** A change with the write of the issue itself, on its condition; without that write nothing changes. */
export interface PlannedChange {
  readonly change: IssueChange;
  readonly issueWrite?: Write;
}

/**
 * Writes the change planned by `next` in one transaction, and sends its events. When the condition did not hold, or
 * rivals were in the way, `next` is called again; rivals on the counts get them split. Conflict when it never succeeds.
 */
export const commitIssueChange = async (
  forge: Forge,
  access: IssueAccess,
  next: () => Promise<PlannedChange>,
): Promise<IssueChange> => finish(forge, await writeOnce(forge, access, next));

/** The work after a written change; none when nothing was written. */
async function finish(forge: Forge, { change, issueWrite }: PlannedChange): Promise<IssueChange> {
  if (issueWrite !== undefined) await followIssueChange(forge, change);
  return change;
}

/** The work after the transaction of a change. */
export async function followIssueChange(forge: Forge, change: IssueChange): Promise<void> {
  await send(forge, change.events);
  await noteDeltaWrite(forge, issueIndex(change.issue.repositoryId));
  await change.followUp?.work();
}

/** Like `commitIssueChange`, up to the transaction. */
async function writeOnce(
  forge: Forge,
  { repository }: IssueAccess,
  next: () => Promise<PlannedChange>,
): Promise<PlannedChange> {
  let { shards } = repository;
  for await (const lost of attempts()) {
    const planned = await next();
    const { change, issueWrite } = planned;
    if (issueWrite === undefined) return planned;
    const { counts } = change;
    const writes = [...countWrites(change, shards), issueWrite, ...writesBeside(change)];
    const outcome = await forge.table.transact(writes, {
      mostConflicts: lost === 0 ? mostConflicts.atFirst : mostConflicts.later,
    });
    if (outcome.committed) return planned;
    if (counts !== undefined && outcome.contended.includes(0)) {
      shards = await splitCounts(forge, repository.id, shards);
    }
  }
  throw lostToOthers();
}

const lostToOthers = () => conflict("the issue is being changed by others; try again");

const countWrites = ({ issue, counts }: IssueChange, shards: number): Write[] =>
  counts === undefined ? [] : [repositoryCountsWrite(issue.repositoryId, shards, counts)];

/** All writes of a change, for a transaction about something else that makes it; `issueWrite` as in PlannedChange. */
export const writesOfIssueChange = (
  { change, issueWrite }: Required<PlannedChange>,
  { shards }: Pick<Repository, "shards">,
): Write[] => [...countWrites(change, shards), issueWrite, ...writesBeside(change)];

const writesBeside = ({ issue, isRemoved, entries, events, writes = [], followUp }: IssueChange): Write[] => [
  (isRemoved === true ? tombstoneWrite : deltaWrite)(
    issueIndex(issue.repositoryId),
    issue.number,
    indexEntry(issue),
    issue.v,
  ),
  ...entries.flatMap((entry) => [put(entry), put(rowOf(entry))]),
  ...events.map((event) => event.write),
  ...writes,
  ...(followUp === undefined ? [] : [followUp.write]),
];
