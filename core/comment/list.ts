import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Forge } from "../forge.ts";
import { issuePartition } from "../issue/issue.table.ts";
import * as issues from "../issue/issue.ts";
import { countsKey, type Repository, type RepositoryCounts } from "../repository/repository.table.ts";
import { keyText } from "../table.ts";
import {
  type Comment,
  type EntryRow,
  entryKey,
  entryPrefix,
  entryRowsPartition,
  type TimelineEntry,
} from "./comment.table.ts";

/** Last updated in these seconds, both ends included. */
export interface UpdatedWithin {
  readonly since?: number;
  readonly before?: number;
}

/** Comments in the order of their creation, and the number of all that match. */
export interface CommentListing {
  readonly items: readonly Comment[];
  readonly total: number;
}

/** All comments of an issue or pull. NotFound as for the issue. */
export async function listOfIssue(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  within: UpdatedWithin,
): Promise<Comment[]> {
  const [entries] = await Promise.all([
    forge.table.queryAll<TimelineEntry>({
      pk: issuePartition(access.repository.id, number),
      prefix: entryPrefix,
    }),
    issues.get(forge, access, number),
  ]);
  return entries.filter((entry): entry is Comment => entry.type === "comment" && isWithin(entry, within));
}

/** One page of the comments on a repository's issues and pulls, of those kinds that the caller may read. */
export async function listOfRepository(
  forge: Forge,
  access: RepositoryAccess,
  within: UpdatedWithin,
  { page, limit }: { readonly page: number; readonly limit: number },
): Promise<CommentListing> {
  const { repository, rights } = access;
  const kinds = issues.readableKinds(rights);
  const fits = (row: EntryRow) => row.isPlain && kinds.includes(row.issueKind) && isWithin(row, within);
  const end = page * limit;
  const isCounted = within.since === undefined && within.before === undefined;
  const [rows, counted] = await Promise.all([
    firstRows(forge, repository.id, fits, isCounted ? end : Number.POSITIVE_INFINITY),
    isCounted && kinds.includes("issue") ? countComments(forge, repository) : 0,
  ]);
  const items = await load(forge, repository.id, rows.slice(end - limit, end));
  return { items, total: isCounted ? counted : rows.length };
}

const isWithin = ({ updatedAt }: { updatedAt: number }, { since = 0, before }: UpdatedWithin): boolean =>
  updatedAt >= since && (before === undefined || updatedAt <= before);

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
      ...(after === undefined ? {} : { after }),
    });
    found.push(...page.items.filter(fits));
    after = page.next;
  } while (after !== undefined && found.length < wanted);
  return found;
}

async function countComments(forge: Forge, { id, shards }: Repository): Promise<number> {
  const parts = await forge.table.getAll<RepositoryCounts>(
    Array.from({ length: shards }, (_, shard) => countsKey(id, shard)),
  );
  return [...parts.values()].reduce((sum, part) => sum + (part.issueComments ?? 0), 0);
}

async function load(forge: Forge, repositoryId: number, rows: readonly EntryRow[]): Promise<Comment[]> {
  const keys = rows.map((row) => entryKey(repositoryId, row.issueNumber, row.id));
  const found = await forge.table.getAll<Comment>(keys);
  return keys.flatMap((key) => found.get(keyText(key)) ?? []);
}
