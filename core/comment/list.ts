import { accessMode, modeOf } from "../access/modes.ts";
import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { getIssue } from "../issue/change/change.ts";
import { type IssueKind, issuePartition } from "../issue/issue.table.ts";
import { commentCountOf } from "../issue/listing/counts.ts";
import { type AccessLoader, accessLoader, findDeletedNumbers } from "../issue/placed-issues.ts";
import { isIssueReadable, readableKinds } from "../issue/rights.ts";
import type { PageRequest } from "../page.ts";
import { readRepositoryCounts } from "../repository/counts.ts";
import type { Repository } from "../repository/repository.table.ts";
import { queryPages } from "../table/query-pages.ts";
import { keyText } from "../table/write.ts";
import { Collected, type EntryListing, isUpdatedWithin, type UpdatedWithin } from "./collected.ts";
import {
  type Comment,
  type EntryRow,
  entryKey,
  entryPrefix,
  entryRowsPartition,
  firstEntries,
  type TimelineEntry,
} from "./comment.table.ts";

/**
 * Comments of an issue or pull: the page asked for, else all, up to 4 MB. Reads no further than the page. NotFound as
 * for the issue.
 */
export async function listIssueComments(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  within: UpdatedWithin,
  asked?: PageRequest,
): Promise<EntryListing<Comment>> {
  const collected = new Collected<Comment>(asked, within.since === undefined && within.before === undefined);
  const [issue] = await Promise.all([
    getIssue(forge, access, number),
    walkTimeline(forge, access, number, (entries) => {
      for (const entry of entries) {
        if (entry.type === "comment" && isUpdatedWithin(entry, within)) collected.add(entry as Comment);
      }
      return !collected.isComplete;
    }),
  ]);
  return collected.listing(issue.comments, forge.config.maxResponseItems);
}

/**
 * One page of an issue's timeline, comments and all other entries in the order of their writing, without comments on
 * lines, and without references from places that the caller may not read. NotFound as for the issue.
 */
export async function listTimeline(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  actor: Actor | undefined,
  query: UpdatedWithin & PageRequest,
): Promise<EntryListing<TimelineEntry>> {
  const collected = new Collected<TimelineEntry>(query, false);
  const loader = accessLoader(forge, actor, access);
  const [issue] = await Promise.all([
    getIssue(forge, access, number),
    walkTimeline(forge, access, number, async (entries) => {
      const within = entries.filter((entry) => entry.type !== "code" && isUpdatedWithin(entry, query));
      for (const entry of await Promise.all(within.map((one) => shownOf(loader, one)))) {
        if (entry !== undefined) collected.add(entry);
      }
      return true;
    }),
  ]);
  return collected.listing(issue.comments, forge.config.maxResponseItems);
}

/** Hands the entries of an issue's timeline to `take`, a query's worth at a time, until it wants no more. */
async function walkTimeline(
  forge: Forge,
  { repository }: RepositoryAccess,
  number: number,
  take: (entries: readonly TimelineEntry[]) => boolean | Promise<boolean>,
): Promise<void> {
  const entries = { pk: issuePartition(repository.id, number), prefix: entryPrefix };
  for await (const page of queryPages<TimelineEntry>(forge.table, entries, firstEntries)) {
    if (!(await take(page))) return;
  }
}

/**
 * An entry as a caller may see it. An entry about an issue that the caller may not read is left out (semantics §48); an
 * entry about a commit that they may not read comes without the commit.
 */
async function shownOf(loader: AccessLoader, entry: TimelineEntry): Promise<TimelineEntry | undefined> {
  const { related, commit } = entry;
  if (related !== undefined) {
    const access = await loader.accessTo(related.repositoryId);
    return access !== undefined && isIssueReadable(access.rights, related.kind) ? entry : undefined;
  }
  if (commit === undefined) return entry;
  const access = await loader.accessTo(commit.repositoryId);
  if (access !== undefined && modeOf(access.rights, "code") >= accessMode.read) return entry;
  const { commit: _hidden, ...rest } = entry;
  return entry.type === "commit_ref" ? undefined : rest;
}

/** One page of the comments on a repository's issues and pulls, of the kinds that the caller may read. */
export async function listRepositoryComments(
  forge: Forge,
  access: RepositoryAccess,
  within: UpdatedWithin,
  { page, limit }: PageRequest,
): Promise<EntryListing<Comment>> {
  const { repository, rights } = access;
  const kinds = readableKinds(rights);
  const gone = await findDeletedNumbers(forge, repository.id);
  const fits = (row: EntryRow) =>
    row.isPlain &&
    kinds.includes(row.issueKind) &&
    isUpdatedWithin(row, within) &&
    !gone.has(row.issueNumber);
  const end = page * limit;
  const isCounted = within.since === undefined && within.before === undefined;
  const [rows, counted] = await Promise.all([
    firstRows(forge, repository.id, fits, isCounted ? end : Number.POSITIVE_INFINITY),
    isCounted ? countComments(forge, repository, kinds) : 0,
  ]);
  const items = await load(forge, repository.id, rows.slice(end - limit, end));
  return { items, total: isCounted ? counted : rows.length };
}

/** The number of comments on issues and pulls that the caller may read. */
async function countComments(forge: Forge, repository: Repository, kinds: readonly IssueKind[]) {
  const counts = await readRepositoryCounts(forge, repository);
  return kinds.reduce((sum, kind) => sum + counts[commentCountOf[kind]], 0);
}

const fewestRows = 100;
const mostRows = 1_000;

/** The first `wanted` rows that fit, read until they are together. */
async function firstRows(
  forge: Forge,
  repositoryId: number,
  fits: (row: EntryRow) => boolean,
  wanted: number,
): Promise<EntryRow[]> {
  const found: EntryRow[] = [];
  let after: string | undefined;
  do {
    const page = await forge.table.query<EntryRow>({
      pk: entryRowsPartition(repositoryId),
      limit: Math.min(Math.max(wanted - found.length, fewestRows), mostRows),
      ...defined({ after }),
    });
    found.push(...page.items.filter(fits));
    after = page.next;
  } while (after !== undefined && found.length < wanted);
  return found;
}

async function load(forge: Forge, repositoryId: number, rows: readonly EntryRow[]): Promise<Comment[]> {
  const keys = rows.map((row) => entryKey(repositoryId, row.issueNumber, row.id));
  const found = await forge.table.getAll<Comment>(keys);
  return keys.flatMap((key) => found.get(keyText(key)) ?? []);
}
