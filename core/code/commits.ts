import { defined } from "../defined.ts";
import { conflict, notFound } from "../errors.ts";
import type { IdentifiedCommit } from "../git/walk/history.ts";
import { type LogPage, logPage } from "../git/walk/log.ts";
import type { PageRequest } from "../page.ts";
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

/** A page of commits. Conflict for an empty repository; NotFound for unknown refs and paths without commits. */
export async function listCommits(code: Code, query: CommitQuery): Promise<LogPage & { total: number }> {
  if (isCodeEmpty(code)) throw conflict("the repository is empty: push a commit first");
  const { ref, not, since, until, page, limit } = query;
  const tip = await getCommit(code, ref);
  const path = cleanPath(query.path ?? "");
  const found = await logPage(code.history, {
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

/** The commit that a text names. NotFound when there is none. */
export async function readCommit(code: Code, text: string): Promise<IdentifiedCommit> {
  return code.history.commit((await getCommit(code, text)).id);
}
