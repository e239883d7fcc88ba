import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Forge } from "../forge.ts";
import { issuePartition } from "../issue/issue.table.ts";
import * as issues from "../issue/issue.ts";
import { readCounts } from "../repository/repository.ts";
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

/** A page, counted from 1, and its size. */
export interface CommentPage {
  readonly page: number;
  readonly limit: number;
}

/** Comments in the order of their creation, and the number of all that match. */
export interface CommentListing {
  readonly items: readonly Comment[];
  readonly total: number;
  /** Where to go on when the list was cut because of its size (D-BIGBODY). */
  readonly next?: CommentPage;
}

/** A list that is not paged ends here: the bytes of its texts and of what is shown beside each. */
const mostListBytes = 4 * 2 ** 20;
const bytesBeside = 1_000;

/**
 * Comments of an issue or pull: the page asked for, else all, up to 4 MB. Read as far as the page alone. NotFound as
 * for the issue.
 */
export async function listOfIssue(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  within: UpdatedWithin,
  asked?: CommentPage,
): Promise<CommentListing> {
  const collected = new Collected(asked, within.since === undefined && within.before === undefined);
  const pk = issuePartition(access.repository.id, number);
  const query = (after?: string) =>
    forge.table.query<TimelineEntry>({
      pk,
      prefix: entryPrefix,
      ...(after === undefined ? {} : { after }),
    });
  const [first, issue] = await Promise.all([query(), issues.get(forge, access, number)]);
  for (let read = first; ; ) {
    for (const entry of read.items) {
      if (entry.type === "comment" && isWithin(entry, within)) collected.add(entry as Comment);
    }
    if (read.next === undefined || collected.isComplete) break;
    read = await query(read.next);
  }
  return collected.listing(issue.comments, forge.config.maxResponseItems);
}

/** The rows of one answer, as they come: nothing else is kept. */
class Collected {
  readonly #asked: CommentPage | undefined;
  readonly #isWhole: boolean;
  readonly #items: Comment[] = [];
  #matching = 0;
  #bytes = 0;

  /** `isWhole`: every comment matches, so that their number is known without reading on. */
  constructor(asked: CommentPage | undefined, isWhole: boolean) {
    this.#asked = asked;
    this.#isWhole = isWhole;
  }

  get #isCut(): boolean {
    return this.#asked === undefined && this.#bytes > mostListBytes;
  }

  get #isFull(): boolean {
    return this.#isCut || this.#items.length === this.#asked?.limit;
  }

  /** Whether reading on would change nothing. */
  get isComplete(): boolean {
    return this.#isWhole && this.#isFull;
  }

  add(comment: Comment): void {
    const { page, limit } = this.#asked ?? { page: 1, limit: 0 };
    this.#matching += 1;
    if (this.#isFull || this.#matching <= (page - 1) * limit) return;
    this.#bytes += Buffer.byteLength(comment.body) + bytesBeside;
    this.#items.push(comment);
  }

  listing(comments: number, mostPerPage: number): CommentListing {
    const items = this.#items;
    const total = this.#isWhole ? comments : this.#matching;
    if (!this.#isCut || items.length >= total) return { items, total };
    const limit = Math.min(items.length, mostPerPage);
    const pages = Math.floor(items.length / limit);
    return { items: items.slice(0, pages * limit), total, next: { page: pages + 1, limit } };
  }
}

/** One page of the comments on a repository's issues and pulls, of those kinds that the caller may read. */
export async function listOfRepository(
  forge: Forge,
  access: RepositoryAccess,
  within: UpdatedWithin,
  { page, limit }: CommentPage,
): Promise<CommentListing> {
  const { repository, rights } = access;
  const kinds = issues.readableKinds(rights);
  const fits = (row: EntryRow) => row.isPlain && kinds.includes(row.issueKind) && isWithin(row, within);
  const end = page * limit;
  const isCounted = within.since === undefined && within.before === undefined;
  const [rows, counted] = await Promise.all([
    firstRows(forge, repository.id, fits, isCounted ? end : Number.POSITIVE_INFINITY),
    isCounted && kinds.includes("issue")
      ? readCounts(forge, repository).then((counts) => counts.issueComments)
      : 0,
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

async function load(forge: Forge, repositoryId: number, rows: readonly EntryRow[]): Promise<Comment[]> {
  const keys = rows.map((row) => entryKey(repositoryId, row.issueNumber, row.id));
  const found = await forge.table.getAll<Comment>(keys);
  return keys.flatMap((key) => found.get(keyText(key)) ?? []);
}
