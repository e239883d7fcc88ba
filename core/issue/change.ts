import { setTimeout as delay } from "node:timers/promises";
import type { RepositoryAccess } from "../access/repository-access.ts";
import { rowOf, type TimelineEntry } from "../comment/comment.table.ts";
import { tailWrite } from "../directory/directory.ts";
import { issueDirectory } from "../directory/issues.ts";
import { conflict, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { type OutboxEntry, send } from "../outbox.ts";
import { equals, put, type Write } from "../table.ts";
import { type CountChanges, countsWrite, splitIfContended } from "./counts.ts";
import { directoryEntry, type Issue, issueKey } from "./issue.table.ts";
import { isReadable } from "./rights.ts";

/** What becomes of an issue, all in one transaction. */
export interface IssueChange {
  /** The issue as it is to be; its `v` is the one that it had. */
  readonly issue: Issue;
  /** New entries of its timeline. */
  readonly entries: readonly TimelineEntry[];
  readonly counts?: CountChanges;
  readonly events: readonly OutboxEntry[];
  /** What else belongs into the transaction. */
  readonly writes?: readonly Write[];
}

/** How often a change is planned anew when others come first. */
export const mostTries = 40;
const longestPauseMs = 200;

/** Lets rivals pass: with jitter, longer after each lost try, nothing before the first. */
export async function pauseBefore(tries: number): Promise<void> {
  if (tries > 0) await delay(Math.random() * Math.min(longestPauseMs, 10 * 2 ** tries));
}

/** The issue or pull with this number. NotFound when there is none, or the caller may not read its kind. */
export async function get(forge: Forge, access: RepositoryAccess, number: number): Promise<Issue> {
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
  access: RepositoryAccess,
  number: number,
  plan: (issue: Issue) => Promise<IssueChange | undefined>,
): Promise<IssueChange> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    await pauseBefore(tries);
    const issue = await get(forge, access, number);
    const planned = await plan(issue);
    if (planned === undefined) return { issue, entries: [], events: [] };
    const next = { ...planned, issue: { ...planned.issue, v: issue.v + 1 } };
    if (await commit(forge, access, next, put(next.issue, equals({ v: issue.v })))) return next;
  }
  throw conflict(`issue ${number} is being changed by others; try again`);
}

/** Writes a planned change; false when the condition on the issue did not hold. Sends the events once it is committed. */
export async function commit(
  forge: Forge,
  { repository }: RepositoryAccess,
  planned: IssueChange,
  issueWrite: Write,
): Promise<boolean> {
  const { issue, entries, counts, events, writes = [] } = planned;
  const outcome = await forge.table.transact([
    issueWrite,
    tailWrite(issueDirectory(issue.repositoryId), issue.number, directoryEntry(issue), issue.v),
    ...entries.flatMap((entry) => [put(entry), put(rowOf(entry))]),
    ...(counts === undefined ? [] : [countsWrite(repository, counts)]),
    ...events.map((event) => event.write),
    ...writes,
  ]);
  if (counts !== undefined) await splitIfContended(forge, repository, outcome.conflicts);
  if (!outcome.committed) return false;
  await send(forge, events);
  return true;
}
