import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { newEntry, type RelatedIssue, rowOf } from "../comment/comment.table.ts";
import { badRequest, conflict, invalid, notFound, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { requireUnblocked } from "../issue/blocks.ts";
import { changeIssue, getIssue, type IssueChange, rewriteIssue } from "../issue/change/change.ts";
import { entryIds } from "../issue/change/timeline.ts";
import { type Issue, issueKey } from "../issue/issue.table.ts";
import { accessLoader, findPlacedIssues, type IssueAddress } from "../issue/placed-issues.ts";
import { isIssueWriter } from "../issue/rights.ts";
import { absent, exists } from "../table/condition.ts";
import { put, remove, type Write } from "../table/write.ts";
import {
  blockedIn,
  blockingRow,
  type DependencyRow,
  dependenciesOf,
  dependencyRow,
  isSameIssue,
} from "./dependency.table.ts";
import { writesAgainstCircles } from "./internal/circle.ts";
import { findLive, type IssueIn, rowsOf } from "./list.ts";

/** The most issues that one may wait for, and the most of one repository that may wait for one. */
const mostOfOne = 100;
/** The most issues of other repositories that may wait for one; beyond it only its writers may add more. */
const mostFromOutside = 1_000;

/**
 * Makes an issue wait for another one, which may be in another repository. NotFound unless the caller may write the
 * first and read the other, and when dependencies are switched off or the first's repository is archived; Forbidden
 * when the other one's author or owner blocks the caller; 400 when dependencies may not cross repositories; 422 for an
 * issue on itself and past the bounds; Conflict when it waits for it already, or when the other one waits for it,
 * directly or not.
 */
export function createDependency(
  forge: Forge,
  actor: Actor,
  dependent: IssueIn,
  on: IssueIn,
): Promise<Issue> {
  requireDependencies(dependent);
  if (
    dependent.access.repository.id !== on.access.repository.id &&
    !forge.config.allowCrossRepositoryDependencies
  )
    throw badRequest("dependencies between repositories are switched off on this instance");
  return change(forge, actor, dependent, "add_dependency", async (issue) => {
    const other = await getIssue(forge, on.access, on.number);
    if (issue.id === other.id) throw unprocessable("an issue can't depend on itself");
    await requireUnblocked(forge, on.access, actor, other.authorId);
    await requireRoom(forge, issue, other, isIssueWriter(on.access.rights, other.kind));
    return {
      related: relatedTo(other),
      other,
      rows: [
        put(dependencyRow(issue, other), absent),
        put(blockingRow(other, issue), absent),
        ...(await writesAgainstCircles(forge, issue, other)),
      ],
    };
  });
}

/** The issue that is waited for: its address, or its id. */
export type WaitedFor = IssueAddress | { readonly id: number };

/**
 * Ends that an issue waits for another one. Writers of the first may do so even when the other one is hidden from them;
 * its timeline then says nothing. NotFound when it does not wait, when the caller may not write it, and when
 * dependencies are switched off or its repository is archived.
 */
export function removeDependency(
  forge: Forge,
  actor: Actor,
  dependent: IssueIn,
  on: WaitedFor,
): Promise<Issue> {
  requireDependencies(dependent);
  const loader = accessLoader(forge, actor, dependent.access);
  return change(forge, actor, dependent, "remove_dependency", async (issue) => {
    const row = await findRow(forge, issue, on);
    const stored = row && (await forge.table.get<Issue>(issueKey(row.repositoryId, row.number)));
    if (row === undefined) throw notFound("the one does not depend on the other");
    const [placed] = await findPlacedIssues(forge, loader, [row]);
    const { repositoryId, number } = row;
    return {
      related: { repositoryId, number, kind: stored?.kind ?? "issue" },
      other: placed?.issue,
      rows: [remove(row, exists), remove(blockingRow(row, issue))],
    };
  });
}

/**
 * The other end of a change: its description for the timeline, the issue when its own timeline is written too, and the
 * rows of both ends.
 */
interface OtherEnd {
  readonly related: RelatedIssue;
  readonly other: Issue | undefined;
  readonly rows: readonly Write[];
}

async function change(
  forge: Forge,
  actor: Actor,
  { access, number }: IssueIn,
  type: "add_dependency" | "remove_dependency",
  otherEnd: (issue: Issue) => Promise<OtherEnd>,
): Promise<Issue> {
  const drawIds = entryIds(forge);
  const { issue: changed } = await changeIssue(forge, access, number, async (issue) => {
    if (!isIssueWriter(access.rights, issue.kind)) throw notFound("no such issue that you may write");
    const { related, other, rows } = await otherEnd(issue);
    const at = nowSeconds(forge.clock);
    const [id = 0, otherId = 0] = await drawIds(2);
    const common = { type, authorId: actor.user.id, createdAt: at };
    return {
      issue: { ...issue, updatedAt: at },
      entries: [newEntry(issue, { ...common, id, related })],
      events: [],
      writes: [
        ...rows,
        ...(other === undefined ? [] : entryWritesOn(other, issue, { ...common, id: otherId })),
      ],
    } satisfies IssueChange;
  });
  return changed;
}

/** The other issue after the change, with an entry in its timeline. */
function entryWritesOn(other: Issue, issue: Issue, common: Parameters<typeof newEntry>[1]): Write[] {
  const entry = newEntry(other, { ...common, related: relatedTo(issue) });
  return [...rewriteIssue(other, { updatedAt: common.createdAt }), put(entry), put(rowOf(entry))];
}

const relatedTo = ({ repositoryId, number, kind }: Issue): RelatedIssue => ({ repositoryId, number, kind });

function requireDependencies({ access: { repository } }: IssueIn): void {
  if (repository.isArchived || !repository.tracker.hasDependencies) {
    throw notFound("the repository of the issue that waits has no dependencies, or is archived");
  }
}

/** Throws when an issue waits for the other one already, or when one of the two has as many as it may. */
async function requireRoom(forge: Forge, issue: Issue, other: Issue, isWriter: boolean): Promise<void> {
  const waiting = dependenciesOf(other, "by");
  const [own, there, all] = await Promise.all([
    rowsOf(forge, dependenciesOf(issue, "on")),
    rowsOf(forge, blockedIn(other, issue.repositoryId)),
    isWriter ? [] : rowsOf(forge, { ...waiting, limit: mostOfOne + mostFromOutside }),
  ]);
  if (own.some((row) => isSameIssue(row, other))) throw conflict("the one depends on the other already");
  const outside = all.filter(({ repositoryId }) => repositoryId !== other.repositoryId);
  if (own.length >= mostOfOne || there.length >= mostOfOne || outside.length >= mostFromOutside) {
    throw invalid(
      "Dependencies",
      `an issue waits for at most ${mostOfOne}, and at most ${mostOfOne} of a repository for it, ${mostFromOutside} of all others`,
    );
  }
}

async function findRow(forge: Forge, issue: Issue, on: WaitedFor): Promise<DependencyRow | undefined> {
  const rows = await rowsOf(forge, dependenciesOf(issue, "on"));
  if ("number" in on) return rows.find((row) => isSameIssue(row, on));
  const found = await findLive(forge, rows);
  const wanted = found.find(({ id }) => id === on.id);
  return wanted && rows.find((row) => isSameIssue(row, wanted));
}

/** Whether an issue waits for an open one: it can't be closed then (semantics §50). */
export async function hasOpenDependencies(
  forge: Forge,
  { repository }: Pick<RepositoryAccess, "repository">,
  issue: Issue,
): Promise<boolean> {
  if (!repository.tracker.hasDependencies) return false;
  const found = await findLive(forge, await rowsOf(forge, dependenciesOf(issue, "on")));
  return found.some(({ isClosed }) => !isClosed);
}
