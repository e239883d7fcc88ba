import { listMemory } from "../capacity/list-memory.ts";
import { defined } from "../defined.ts";
import { conflict, notFound } from "../errors.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import type { IdentifiedCommit } from "../git/history/history.ts";
import { type LoggedIds, logIds } from "../git/history/log.ts";
import type { PageRequest } from "../page.ts";
import { mostBodyBytes } from "../text.ts";
import { cleanPath, rawPath } from "./internal/path.ts";
import { type Code, getCommit, isCodeEmpty } from "./open.ts";

/** Which commits are wanted, newest first. */
export interface CommitQuery extends PageRequest {
  /** A branch, tag or id to start from; HEAD when absent. */
  readonly ref?: string;
  readonly path?: string;
  /** Commits that this leads to are left out. */
  readonly not?: string;
  /** Whole seconds, both included. */
  readonly since?: number;
  readonly until?: number;
}

/** A page of commits, unread. Conflict for an empty repository; NotFound for unknown refs and paths without commits. */
export async function listCommits(code: Code, query: CommitQuery): Promise<LoggedIds & { total: number }> {
  if (isCodeEmpty(code)) throw conflict("the repository is empty: push a commit first");
  const { ref, not, since, until, page, limit } = query;
  const tip = await getCommit(code, ref);
  const path = cleanPath(query.path ?? "");
  const found = await logIds(code.history, {
    tips: [tip.id],
    ...(not === undefined ? {} : { not: [(await getCommit(code, not)).id] }),
    ...(path === "" ? {} : { paths: [rawPath(path)] }),
    ...defined({ since, until }),
    skip: (page - 1) * limit,
    limit,
    countAll: true,
  });
  const { total = 0 } = found;
  const isWhole = not === undefined && since === undefined && until === undefined;
  if (path !== "" && total === 0 && isWhole)
    throw notFound(`no commit touched this path [path: ${query.path}]`);
  return { ...found, total };
}

/** Commits of more bytes in all are read one after the other. */
const mostGrouped = 2 ** 20;

/** What a commit in memory takes, for each of its bytes. */
const commitFactor = 4;

/** What a commit takes in a list, beside its text, and the most that is shown of this. */
const rowBytes = 3_000;
const mostRowText = mostBodyBytes;

/**
 * Some commits for a list, read in groups: neighbors together, and no more at a time than memory may hold. Counts the
 * largest group, and the list.
 */
export async function* readInGroups(
  { history, reserve }: Pick<Code, "history" | "reserve">,
  ids: readonly ObjectId[],
): AsyncGenerator<IdentifiedCommit[]> {
  const sizes = ids.map((id) => history.sizeOf(id));
  const inAll = sizes.reduce((sum, size) => sum + size, 0);
  const largest = sizes.reduce((most, size) => Math.max(most, size), mostGrouped);
  const listed = sizes.reduce((sum, size) => sum + rowBytes + Math.min(size, mostRowText), 0);
  await reserve(commitFactor * Math.min(inAll, largest) + listMemory(listed));
  let group: ObjectId[] = [];
  let bytes = 0;
  for (const id of ids) {
    const size = history.sizeOf(id);
    if (group.length > 0 && bytes + size > mostGrouped) {
      yield await history.commits(group);
      group = [];
      bytes = 0;
    }
    group.push(id);
    bytes += size;
  }
  if (group.length > 0) yield await history.commits(group);
}

/** Some commits that an answer shows, all at once: counts what they take. */
export async function readTogether(
  { history, reserve }: Code,
  ids: readonly ObjectId[],
): Promise<IdentifiedCommit[]> {
  await reserve(commitFactor * ids.reduce((sum, id) => sum + history.sizeOf(id), 0));
  return history.commits(ids);
}

/** The commit that a text names. NotFound when there is none. */
export async function readCommit(code: Code, text: string): Promise<IdentifiedCommit> {
  return code.history.commit((await getCommit(code, text)).id);
}
