import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { newEntry, type RelatedIssue, rowOf } from "../comment/comment.table.ts";
import { badRequest, conflict, invalid, notFound, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { type Issue, issueKey } from "../issue/issue.table.ts";
import * as issues from "../issue/issue.ts";
import { ownerKey } from "../owner/owner.table.ts";
import type { Owner } from "../owner/owner.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import {
  absent,
  check,
  exists,
  keyText,
  put,
  remove as removal,
  type TableKey,
  type Write,
} from "../table.ts";
import { blockingRow, type DependencyRow, dependenciesOf, dependencyRow } from "./dependency.table.ts";

/** Issues that one may wait for, and that may wait for one. */
const mostOfOne = 100;
/** Issues that are looked at to find out whether a new dependency would close a circle. */
const mostWalked = 500;

/** An issue by its number, with what the caller may do where it is. */
export interface IssueIn {
  readonly access: RepositoryAccess;
  readonly number: number;
}

/**
 * Lets an issue wait for another one, which may be in another repository. NotFound unless the caller may write the
 * first and read the other, or where dependencies are switched off or the first's repository is archived; 400 where
 * they may not cross repositories; 422 for an issue on itself and past 100; Conflict when it waits for it already, or
 * the other one waits for it, over others too.
 */
export const create = (forge: Forge, actor: Actor, dependent: IssueIn, on: IssueIn): Promise<Issue> =>
  change(forge, actor, dependent, on, {
    type: "add_dependency",
    async writes(issue, other) {
      await requirePossible(forge, issue, other);
      return [
        put(dependencyRow(issue, other), absent),
        put(blockingRow(other, issue), absent),
        check(dependencyRow(other, issue), absent),
      ];
    },
  });

/** Ends that an issue waits for another one. NotFound when it does not; else as `create`. */
export const remove = (forge: Forge, actor: Actor, dependent: IssueIn, on: IssueIn): Promise<Issue> =>
  change(forge, actor, dependent, on, {
    type: "remove_dependency",
    async writes(issue, other) {
      const row = dependencyRow(issue, other);
      if ((await forge.table.get(row)) === undefined) throw notFound("the one does not depend on the other");
      return [removal(row, exists), removal(blockingRow(other, issue))];
    },
  });

interface DependencyChange {
  readonly type: "add_dependency" | "remove_dependency";
  /** The rows of both ends. */
  writes(issue: Issue, other: Issue): Promise<Write[]>;
}

async function change(
  forge: Forge,
  actor: Actor,
  dependent: IssueIn,
  on: IssueIn,
  { type, writes }: DependencyChange,
): Promise<Issue> {
  requireSettings(forge, dependent, on);
  const drawIds = issues.entryIds(forge);
  const { issue: changed } = await issues.change(forge, dependent.access, dependent.number, async (issue) => {
    if (!issues.isWriter(dependent.access.rights, issue.kind))
      throw notFound("no such issue that you may write");
    const other = await issues.get(forge, on.access, on.number);
    if (issue.id === other.id) throw unprocessable("an issue can't depend on itself");
    const at = nowSeconds(forge.clock);
    const [id = 0, otherId = 0] = await drawIds(2);
    const told = { type, authorId: actor.user.id, createdAt: at };
    const otherEntry = newEntry(other, { ...told, id: otherId, related: relatedTo(issue) });
    return {
      issue: { ...issue, updatedAt: at },
      entries: [newEntry(issue, { ...told, id, related: relatedTo(other) })],
      events: [],
      writes: [
        ...(await writes(issue, other)),
        ...issues.rewriteIssue(other, { updatedAt: at }),
        ...[put(otherEntry), put(rowOf(otherEntry))],
      ],
    } satisfies issues.IssueChange;
  });
  return changed;
}

const relatedTo = ({ repositoryId, number, kind }: Issue): RelatedIssue => ({ repositoryId, number, kind });

function requireSettings({ config }: Forge, dependent: IssueIn, on: IssueIn): void {
  const { repository } = dependent.access;
  const isCrossing = repository.id !== on.access.repository.id;
  if (isCrossing && !config.allowCrossRepositoryDependencies) {
    throw badRequest("dependencies between repositories are switched off on this instance");
  }
  if (repository.isArchived || !repository.tracker.hasDependencies) {
    throw notFound("the repository of the issue that would wait has no dependencies, or is archived");
  }
}

async function requirePossible(forge: Forge, issue: Issue, other: Issue): Promise<void> {
  const [own, others] = await Promise.all([
    rowsOf(forge, dependenciesOf(issue, "on")),
    rowsOf(forge, dependenciesOf(other, "by")),
  ]);
  if (own.some((row) => isSame(row, other))) throw conflict("the one depends on the other already");
  if (own.length >= mostOfOne || others.length >= mostOfOne) {
    throw invalid("Dependencies", `an issue waits for at most ${mostOfOne}, and at most as many for it`);
  }
  if (await isWaiting(forge, other, issue)) {
    throw conflict("the other one waits for this one: they would wait for each other");
  }
}

const rowsOf = ({ table }: Forge, run: ReturnType<typeof dependenciesOf>): Promise<DependencyRow[]> =>
  table.queryAll<DependencyRow>(run);

const isSame = (one: issues.IssueAddress, other: issues.IssueAddress): boolean =>
  one.repositoryId === other.repositoryId && one.number === other.number;

/** Whether an issue waits for another, over others too, as far as `mostWalked` issues tell. */
async function isWaiting(
  forge: Forge,
  issue: issues.IssueAddress,
  other: issues.IssueAddress,
): Promise<boolean> {
  const seen = new Set<string>();
  let next: issues.IssueAddress[] = [issue];
  while (next.length > 0 && seen.size < mostWalked) {
    const rows = (await Promise.all(next.map((one) => rowsOf(forge, dependenciesOf(one, "on"))))).flat();
    if (rows.some((row) => isSame(row, other))) return true;
    const addressText = ({ repositoryId, number }: issues.IssueAddress) => `${repositoryId}.${number}`;
    const fresh = new Map(rows.map((row) => [addressText(row), row]));
    next = [...fresh].flatMap(([text, row]) => (seen.has(text) ? [] : row)).slice(0, mostWalked - seen.size);
    for (const one of next) seen.add(addressText(one));
  }
  return false;
}

/** Whether an issue waits for one that is open: it can't be closed then (semantics §50). */
export async function hasOpen(
  forge: Forge,
  { repository }: Pick<RepositoryAccess, "repository">,
  issue: Issue,
): Promise<boolean> {
  if (!repository.tracker.hasDependencies) return false;
  const found = await findLive(forge, await rowsOf(forge, dependenciesOf(issue, "on")));
  return found.some(({ isClosed }) => !isClosed);
}

/** The issues at the other ends, in their order, without those in repositories that are being deleted. */
async function findLive({ table }: Forge, rows: readonly DependencyRow[]): Promise<Issue[]> {
  const keys = rows.map((row) => issueKey(row.repositoryId, row.number));
  const homes = rows.map((row) => repositoryKey(row.repositoryId));
  const found = await table.getAll([...keys, ...homes]);
  return keys.flatMap((key, at) => {
    const home = found.get(keyText(homes[at] as TableKey)) as Repository | undefined;
    const issue = found.get(keyText(key)) as Issue | undefined;
    return home?.state !== "live" || issue === undefined ? [] : [issue];
  });
}

/**
 * What an issue waits for, its members as the caller may see them: whole where he may read them; of others those who may
 * write the issue learn where they are.
 */
export type Dependency = issues.PlacedIssue | HiddenDependency;
interface HiddenDependency {
  readonly issue: Issue;
  readonly access?: undefined;
  readonly place?: Pick<RepositoryAccess, "repository" | "owner">;
}

/** What an issue waits for. NotFound as for the issue, and where the repository has no dependencies. */
export async function list(
  forge: Forge,
  actor: Actor | undefined,
  { access, number }: IssueIn,
): Promise<Dependency[]> {
  const issue = await issues.get(forge, access, number);
  if (!access.repository.tracker.hasDependencies) throw notFound("the repository has no dependencies");
  const rows = await rowsOf(forge, dependenciesOf(issue, "on"));
  const [listed, readable] = await Promise.all([
    findLive(forge, rows),
    issues.findPlaced(forge, issues.sightOf(forge, actor, access), rows),
  ]);
  const placed = new Map(readable.map((one) => [one.issue.id, one]));
  const isTold = issues.isWriter(access.rights, issue.kind);
  return Promise.all(
    listed.map(async (one) => placed.get(one.id) ?? (isTold ? findPlace(forge, one) : { issue: one })),
  );
}

async function findPlace({ table }: Forge, issue: Issue): Promise<HiddenDependency> {
  const repository = await table.get<Repository>(repositoryKey(issue.repositoryId));
  const owner = repository && (await table.get<Owner>(ownerKey(repository.ownerId)));
  return repository === undefined || owner === undefined
    ? { issue }
    : { issue, place: { repository, owner } };
}

/** What waits for an issue, as far as the caller may read it. NotFound as for the issue. */
export async function listBlocked(
  forge: Forge,
  actor: Actor | undefined,
  { access, number }: IssueIn,
): Promise<issues.PlacedIssue[]> {
  const issue = await issues.get(forge, access, number);
  const rows = await rowsOf(forge, dependenciesOf(issue, "by"));
  const sight: issues.Sight = issues.sightOf(forge, actor, access);
  return issues.findPlaced(forge, sight, rows);
}
