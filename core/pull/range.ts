import type { RepositoryAccess } from "../access/repository-access.ts";
import { diffLimits } from "../code/commit-details.ts";
import { comparingBytes, renamingBytes } from "../code/diff-memory.ts";
import { type Code, openCode } from "../code/open.ts";
import { diffText, patchText } from "../code/patches.ts";
import { defined } from "../defined.ts";
import { tooLarge } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { FileChange } from "../git/diff/file-change.ts";
import { sideOf } from "../git/diff/file-change.ts";
import type { IgnoredWhitespace } from "../git/diff/lines/whitespace.ts";
import { type FileStat, fileStats } from "../git/diff/patch/stat.ts";
import { detectRenames } from "../git/diff/renames/renames.ts";
import { diffTrees, type TreeDiff } from "../git/diff/tree-diff.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import { entryName } from "../git/format/tree.ts";
import { type LoggedIds, logIds } from "../git/history/log.ts";
import { branchPrefix } from "../git/refs/ref-name.ts";
import { type PageRequest, rowsOfPage } from "../page.ts";
import { tryFollowHead } from "./follow/follow-head.ts";
import type { PullRequest } from "./pull.table.ts";
import { getPull } from "./pull.ts";
import { newestCommon } from "./sides.ts";

/** What a request brings: the commits from `head` on that `base` does not lead to, and the files that differ. */
export interface PullRange {
  readonly pull: PullRequest;
  readonly code: Code;
  /** The base's tip; of a closed request the commit that it began from. */
  readonly base: ObjectId;
  readonly mergeBase: ObjectId;
  readonly head: ObjectId;
}

/** More commits are not written as one text. */
const mostPatched = 1_000;

/** Opens what a request brings now, or brought when it was closed. NotFound as in `getPull`. */
export async function openPullRange(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  signal?: AbortSignal,
): Promise<PullRange> {
  const pull = await tryFollowHead(forge, await getPull(forge, access, number));
  const code = await openCode(forge, access.repository.id, signal);
  const { headId: head, mergeBase, base } = pull.pull;
  const tip = pull.isClosed ? undefined : code.repository.refs.find(branchPrefix + base)?.id;
  if (tip === undefined) return { pull, code, base: mergeBase, mergeBase, head };
  return { pull, code, base: tip, mergeBase: await newestCommon(code, tip, head), head };
}

/** The request's commits, newest first (B-15). */
export async function listPullCommits(
  { code, base, head }: PullRange,
  { page, limit }: PageRequest,
): Promise<LoggedIds & { readonly total: number }> {
  const request = { tips: [head], not: [base], skip: (page - 1) * limit, limit, countAll: true };
  const found = await logIds(code.history, request);
  return { ...found, total: found.total ?? found.ids.length };
}

/** Which files of a request to list, and how their lines are counted. */
export interface PullFilesQuery extends PageRequest {
  /** Only those after this name. */
  readonly skipTo?: string;
  /** Lines that differ in this alone are not counted. */
  readonly ignored?: IgnoredWhitespace;
}

/**
 * One page of the files that differ between merge base and head, with their lines, renames found, by name. TooLarge
 * beyond 3,000 files.
 */
export async function listPullFiles(
  range: PullRange,
  { skipTo = "", ignored, ...page }: PullFilesQuery,
): Promise<{ readonly items: readonly FileStat[]; readonly total: number }> {
  const { history, reserve } = range.code;
  const found = await treeDiffOf(range);
  if (found.isCut) throw tooLarge("more files differ than can be listed: fetch the commits with git");
  await reserve(comparingBytes(history, found.changes) + renamingBytes(history, found.changes));
  const changes = await detectRenames(history, found.changes);
  const nameOf = (change: FileChange) => entryName(sideOf(change).path);
  const at = skipTo === "" ? -1 : changes.findIndex((change) => nameOf(change) === skipTo);
  const listed = changes.slice(at + 1);
  const items: FileStat[] = [];
  for await (const one of fileStats(history, rowsOfPage(listed, page), defined({ ignored }))) items.push(one);
  return { items, total: listed.length };
}

/** The changes from merge base to head, as in `git diff`; `isBinary`: binary files so that they can be applied. */
export const pullDiff = async (range: PullRange, isBinary: boolean): Promise<Buffer> =>
  diffText(range.code, await treeDiffOf(range), { isBinary });

/** The request's commits as mails, oldest first. TooLarge beyond 1,000 commits and 24 MiB. */
export async function pullPatch(range: PullRange): Promise<Buffer> {
  const { ids, total } = await listPullCommits(range, { page: 1, limit: mostPatched });
  if (total > ids.length) throw tooLarge(`there are more than ${mostPatched} commits: fetch them with git`);
  return patchText(range.code, ids.toReversed());
}

async function treeDiffOf({ code: { history }, mergeBase, head }: PullRange): Promise<TreeDiff> {
  const [before, after] = [(await history.links(mergeBase)).tree, (await history.links(head)).tree];
  return diffTrees(history, before, after, diffLimits);
}
