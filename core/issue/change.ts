import type { RepositoryAccess } from "../access/repository-access.ts";
import { attempts } from "../attempts.ts";
import { rowOf, type TimelineEntry } from "../comment/comment.table.ts";
import { goneWrite, tailWrite } from "../directory/directory.ts";
import { noteTailWrite } from "../directory/fold-requests.ts";
import { issueDirectory } from "../directory/issues.ts";
import { conflict, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { type OutboxEntry, send } from "../outbox.ts";
import { type CountChanges, countsWrite, splitCounts } from "../repository/repository.ts";
import { equals, put, type Write } from "../table.ts";
import { directoryEntry, type Issue, issueKey } from "./issue.table.ts";
import { isReadable } from "./rights.ts";

/**
 * Work that follows a change at once, while the caller waits: `write` says in the change's transaction that it is due, so
 * that a crash does not lose it. It never throws: what fails is left to the queue.
 */
export interface FollowUp {
  readonly write: Write;
  readonly work: () => Promise<void>;
}

/** What becomes of an issue, all in one transaction. */
export interface IssueChange {
  /** The issue as it is to be; its `v` is the one that it had. */
  readonly issue: Issue;
  /** It goes: this is what it was at the end, with the next version. */
  readonly isRemoved?: true;
  /** New entries of its timeline. */
  readonly entries: readonly TimelineEntry[];
  readonly counts?: CountChanges;
  readonly events: readonly OutboxEntry[];
  /** What else belongs into the transaction. */
  readonly writes?: readonly Write[];
  readonly followUp?: FollowUp | undefined;
}

/** What of a repository issues need. */
type IssueAccess = Pick<RepositoryAccess, "repository" | "rights">;

/**
 * After so many conflicts on end a transaction is built anew, from what is read anew (data model §10); from then on after
 * each, so that the pauses in between grow with the crowd, and another part of the counts is tried every time.
 */
const mostConflicts = { atFirst: 3, later: 1 } as const;

/** The issue or pull with this number. NotFound when there is none, or the caller may not read its kind. */
export async function get(forge: Forge, access: IssueAccess, number: number): Promise<Issue> {
  const issue = await forge.table.get<Issue>(issueKey(access.repository.id, number));
  if (issue === undefined || !isReadable(access.rights, issue.kind)) {
    throw notFound(`issue does not exist [index: ${number}]`);
  }
  return issue;
}

/**
 * Changes an issue: `plan` says what becomes of the issue as it was read, or undefined when nothing does. When another
 * change came first, the issue is read and planned anew. NotFound as `get`; Conflict when others keep changing it.
 */
export async function change(
  forge: Forge,
  access: IssueAccess,
  number: number,
  plan: (issue: Issue) => Promise<IssueChange | undefined>,
): Promise<IssueChange> {
  return commit(forge, access, async () => {
    const issue = await get(forge, access, number);
    const planned = await plan(issue);
    if (planned === undefined) return { change: { issue, entries: [], events: [] } };
    const next = { ...planned.issue, v: issue.v + 1 };
    return { change: { ...planned, issue: next }, issueWrite: put(next, equals({ v: issue.v })) };
  });
}

/** For a transaction about something else: what changes an issue beside, on the condition that it is as it was read. */
export function rewriteIssue(issue: Issue, changes: Partial<Issue>): Write[] {
  const next: Issue = { ...issue, ...changes, v: issue.v + 1 };
  const directory = issueDirectory(issue.repositoryId);
  return [
    put(next, equals({ v: issue.v })),
    tailWrite(directory, issue.number, directoryEntry(next), next.v),
  ];
}

/** A change with the write of the issue itself, on its condition; without it there is nothing to write. */
export interface PlannedChange {
  readonly change: IssueChange;
  readonly issueWrite?: Write;
}

/**
 * Writes what `next` plans in one transaction, and sends its events. When the condition did not hold or rivals were in
 * the way, `next` is asked again; rivals on the counts get them split. Conflict when it comes to nothing.
 */
export async function commit(
  forge: Forge,
  { repository }: IssueAccess,
  next: () => Promise<PlannedChange>,
): Promise<IssueChange> {
  let { shards } = repository;
  for await (const lost of attempts()) {
    const { change, issueWrite } = await next();
    if (issueWrite === undefined) return change;
    const { counts, events } = change;
    const countWrites = counts === undefined ? [] : [countsWrite(repository.id, shards, counts)];
    const writes = [...countWrites, issueWrite, ...writesBeside(change)];
    const outcome = await forge.table.transact(writes, {
      mostConflicts: lost === 0 ? mostConflicts.atFirst : mostConflicts.later,
    });
    if (outcome.committed) {
      await send(forge, events);
      await noteTailWrite(forge, issueDirectory(repository.id));
      await change.followUp?.work();
      return change;
    }
    if (counts !== undefined && outcome.contended.includes(0))
      shards = await splitCounts(forge, repository.id, shards);
  }
  throw conflict("the issue is being changed by others; try again");
}

const writesBeside = ({ issue, isRemoved, entries, events, writes = [], followUp }: IssueChange): Write[] => [
  (isRemoved === true ? goneWrite : tailWrite)(
    issueDirectory(issue.repositoryId),
    issue.number,
    directoryEntry(issue),
    issue.v,
  ),
  ...entries.flatMap((entry) => [put(entry), put(rowOf(entry))]),
  ...events.map((event) => event.write),
  ...writes,
  ...(followUp === undefined ? [] : [followUp.write]),
];
