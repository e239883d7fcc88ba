import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { ObjectId } from "../format/object-format.ts";
import { commitMatchesAuthor } from "./author-filter.ts";
import { type CommitCount, countCommits } from "./count-commits.ts";
import type { History, IdentifiedCommit } from "./history.ts";
import { RevisionWalk, type WalkRequest } from "./revision-walk.ts";

/** A page of a commit log. */
export interface LogRequest extends WalkRequest {
  /** Part of `Name <address>`, whatever its case. */
  readonly author?: string;
  readonly skip?: number;
  readonly limit: number;
  /** Goes on after the page to count all commits. */
  readonly countAll?: boolean;
  /** Time after which counting gives up; 10 s when not given. */
  readonly countMs?: number;
}

/** Commits newest first, unread. */
export interface LoggedIds {
  readonly ids: readonly ObjectId[];
  readonly hasMore: boolean;
  /** The number on all pages; when counting gave up, how many were seen. Absent unless asked for. */
  readonly total?: number;
  readonly isTotalExact?: boolean;
}

const defaultCountMs = 10_000;
/** Totals by request: commits never change, so totals don't either. */
const totals = new LRUCache<string, number>({ max: 2_000 });

/** Commits newest first. */
export interface LogPage extends Omit<LoggedIds, "ids"> {
  readonly commits: readonly IdentifiedCommit[];
}

/** A page of the log that `git log` gives for the same question, from as few reads as the page takes. */
export async function logPage(history: History, request: LogRequest): Promise<LogPage> {
  const { ids, ...rest } = await logIds(history, request);
  return { commits: await history.commits(ids), ...rest };
}

/** The same without the commits' content: people write commits of a megabyte. */
export async function logIds(history: History, request: LogRequest): Promise<LoggedIds> {
  const { skip = 0, limit, countAll = false } = request;
  const key = totalKey(history, request);
  const known = countAll ? totals.get(key) : undefined;
  if (known !== undefined && skip >= known) {
    return { ids: [], hasMore: false, total: known, isTotalExact: true };
  }
  const walk = new FilteredWalk(history, request);
  const ids: ObjectId[] = [];
  let seen = 0;
  while (seen < skip + limit && (await walk.next())) {
    if (seen >= skip) ids.push(walk.id);
    seen += 1;
  }
  const isEnd = seen < skip + limit;
  if (!countAll) return { ids, hasMore: !isEnd && (await walk.next()) };
  if (known !== undefined) return { ids, hasMore: known > seen, total: known, isTotalExact: true };
  const counted = await countAllOf(history, request, walk, seen);
  if (counted.isExact) totals.set(key, counted.count);
  const { count: total, isExact: isTotalExact } = counted;
  return { ids, hasMore: total > seen || !isTotalExact, total, isTotalExact };
}

/** Whether a request asks for whole histories, so that counting needs nothing of a commit. */
const isPlain = ({ not = [], paths = [], since, until, author = "" }: LogRequest): boolean =>
  not.length === 0 && paths.length === 0 && since === undefined && until === undefined && author === "";

async function countAllOf(
  history: History,
  request: LogRequest,
  walk: FilteredWalk,
  seen: number,
): Promise<CommitCount> {
  const { tips, firstParent: isFirstParent = false, countMs = defaultCountMs } = request;
  if (isPlain(request) && history.graph.count > 0) {
    const { count, isExact } = await countCommits(history, tips, { isFirstParent, countMs });
    return { count: Math.max(seen, count), isExact };
  }
  const { count, isExact } = await countRest(history, walk, countMs);
  return { count: seen + count, isExact };
}

async function countRest(history: History, walk: FilteredWalk, countMs: number): Promise<CommitCount> {
  const until = history.elapsedMs + countMs;
  let count = 0;
  while (await walk.next()) {
    count += 1;
    if (count % 256 === 0 && history.elapsedMs > until) return { count, isExact: false };
  }
  return { count, isExact: true };
}

/** Of one length, whatever callers name: paths and authors may be long. */
function totalKey({ format }: History, request: WalkRequest & { author?: string }): string {
  const { tips, not = [], paths = [], firstParent = false, since, until, author } = request;
  const asked = JSON.stringify([format, tips, not, paths, firstParent, since, until, author]);
  return createHash("sha256").update(asked).digest("base64");
}

/** A walk that returns only the commits by an author. */
class FilteredWalk {
  readonly #history: History;
  readonly #walk: RevisionWalk;
  readonly #author: string | undefined;
  id = "";

  constructor(history: History, request: LogRequest) {
    this.#history = history;
    this.#walk = new RevisionWalk(history, request);
    this.#author = request.author === "" ? undefined : request.author?.toLowerCase();
  }

  /** Moves to the next commit; false after the last. */
  async next(): Promise<boolean> {
    for (let found = await this.#walk.next(); found !== undefined; found = await this.#walk.next()) {
      this.id = found.id;
      if (this.#author === undefined) return true;
      if (commitMatchesAuthor((await this.#history.object(found.id)).data, this.#author)) return true;
    }
    return false;
  }
}
