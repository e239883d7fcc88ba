import { diffLimits } from "../../code/commit-details.ts";
import { type Code, openCode } from "../../code/open.ts";
import type { CodePlace } from "../../comment/comment.table.ts";
import { TaskEnded } from "../../compute/task.ts";
import { manySteps } from "../../concurrency/pacer.ts";
import { unprocessable } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import type { FileChange, FileSide } from "../../git/diff/file-change.ts";
import { FileContents } from "../../git/diff/file-content.ts";
import { detectRenames } from "../../git/diff/renames/renames.ts";
import { diffTrees } from "../../git/diff/tree-diff.ts";
import { isObjectId, type ObjectId } from "../../git/format/object-format.ts";
import { directoryMode } from "../../git/format/tree.ts";
import { isAncestor } from "../../git/history/merge-base.ts";
import { findEntry } from "../../git/history/tree-entry.ts";
import { branchPrefix } from "../../git/refs/ref-name.ts";
import { lazy } from "../../lazy.ts";
import type { PullRequest } from "../../pull/pull.table.ts";
import { newestCommon } from "../../pull/sides.ts";
import { LineCommits } from "./line-commits.ts";
import { hunksUpToTask } from "./review-tasks.ts";

/** Of larger files, and beyond so many bytes in one call, no lines are looked at: comments on them get no hunk. */
const most = { fileBytes: 2 ** 20, bytes: 64 * 2 ** 20, pathBytes: 4_096 };

/** A line that a caller names: in the file before the change, or after it. */
export type NamedLine = Pick<CodePlace, "path" | "side" | "line">;

/** A commit of a request, as it is reviewed. */
export interface ReviewedCommit {
  readonly code: Code;
  readonly commitId: ObjectId;
  readonly mergeBase: ObjectId;
}

/** Opens a commit of a request, its head when none is named. 422 when the named one does not lead to the head. */
export async function openReviewed(
  forge: Forge,
  { repositoryId, isClosed, pull }: PullRequest,
  named: string | undefined,
  signal?: AbortSignal,
): Promise<ReviewedCommit> {
  const code = await openCode(forge, repositoryId, signal);
  const commitId = named || pull.headId;
  if (commitId !== pull.headId) {
    const isKnown = isObjectId(code.history.format, commitId) && code.history.has(commitId);
    if (!isKnown || !(await isAncestor(code.history, commitId, pull.headId))) {
      throw unprocessable(`the commit is not one of the pull request [commit_id: ${commitId.slice(0, 64)}]`);
    }
  }
  const tip = isClosed ? undefined : code.repository.refs.find(branchPrefix + pull.base)?.id;
  const mergeBase = tip === undefined ? pull.mergeBase : await newestCommon(code, tip, commitId);
  return { code, commitId, mergeBase };
}

/** Both sides of a file that callers comment on; absent where it is not there. */
type Sides = Pick<FileChange, "old" | "new">;

/**
 * The places of lines in the change of a request, with their hunks; each file is looked at once. 422 when there is no
 * such file, or it has no such line.
 */
export async function placeLines(
  reviewed: ReviewedCommit,
  named: readonly NamedLine[],
): Promise<readonly CodePlace[]> {
  const files = new ReviewedFiles(reviewed);
  const hunks = new Map<NamedLine, string>();
  const commits = new Map<NamedLine, ObjectId>();
  for (const path of new Set(named.map((one) => one.path))) {
    const pause = reviewed.code.history.pace(manySteps);
    if (pause !== undefined) await pause;
    const lines = named.filter((one) => one.path === path);
    const found = await files.hunksUpTo(path, lines);
    const changedBy = await files.commitsOf(path, lines);
    for (const [at, one] of lines.entries()) {
      const hunk = found[at];
      if (hunk === undefined)
        throw unprocessable(`the file has no such line [path: ${path}, line: ${one.line}]`);
      hunks.set(one, hunk);
      const lineCommitId = one.side === "new" ? changedBy.get(one.line) : undefined;
      if (lineCommitId !== undefined) commits.set(one, lineCommitId);
    }
  }
  const { commitId } = reviewed;
  return named.map((one) => {
    const { path, side, line } = one;
    const lineCommitId = commits.get(one) ?? commitId;
    const changedBy = lineCommitId === commitId ? {} : { lineCommitId };
    return { path, side, line, commitId, ...changedBy, hunk: hunks.get(one) ?? "" };
  });
}

/** The files of a request as it is reviewed. */
class ReviewedFiles {
  readonly #reviewed: ReviewedCommit;
  readonly #contents: FileContents;
  readonly #lineCommits: LineCommits;
  readonly #renames: () => Promise<readonly FileChange[]>;
  #bytes = 0;

  constructor(reviewed: ReviewedCommit) {
    this.#reviewed = reviewed;
    this.#contents = new FileContents(reviewed.code.history, most.fileBytes);
    this.#lineCommits = new LineCommits(reviewed.code.history, this.#contents);
    this.#renames = lazy(() => this.#findRenames());
  }

  /** The hunk up to each of some lines of a file: empty where none is looked for, undefined for a line that is not there. */
  async hunksUpTo(path: string, places: readonly NamedLine[]): Promise<(string | undefined)[]> {
    const sides = await this.#readSides(path);
    if (places.some(({ side }) => sides[side] === undefined)) {
      throw unprocessable(`the change has no such file [path: ${path}]`);
    }
    const none = places.map(() => "");
    if (this.#bytes > most.bytes) return none;
    const [before, after] = [await this.#contents.of(sides.old), await this.#contents.of(sides.new)];
    if (before.kind !== "text" || after.kind !== "text") return none;
    this.#bytes += before.data.length + after.data.length;
    const lines = places.map(({ side, line }) => ({ side, line }));
    const input = { before: before.data, after: after.data, places: lines };
    return this.#reviewed.code.history.compute(hunksUpToTask, input).catch((error: unknown) => {
      if (error instanceof TaskEnded) return none;
      throw error;
    });
  }

  /** The commits that last changed some lines of a file after the change; those that take too long are missing. */
  async commitsOf(path: string, places: readonly NamedLine[]): Promise<ReadonlyMap<number, ObjectId>> {
    const lines = places.flatMap(({ side, line }) => (side === "new" ? [line] : []));
    const file = lines.length === 0 ? undefined : (await this.#readSides(path)).new;
    if (file === undefined) return new Map();
    return this.#lineCommits.find(this.#reviewed.commitId, file, [...new Set(lines)]);
  }

  async #readSides(path: string): Promise<Sides> {
    const isWhole = path.split("/").every((name) => name !== "");
    if (!isWhole || Buffer.byteLength(path) > most.pathBytes) return {};
    const { code, mergeBase, commitId } = this.#reviewed;
    const raw = Buffer.from(path).toString("latin1");
    const sideIn = async (commit: ObjectId): Promise<FileSide | undefined> => {
      const entry = await findEntry(code.history, (await code.history.links(commit)).tree, raw);
      return entry === undefined || entry.mode === directoryMode ? undefined : { path: raw, ...entry };
    };
    const [old, fresh] = [await sideIn(mergeBase), await sideIn(commitId)];
    if (old !== undefined && fresh !== undefined) return { old, new: fresh };
    if (old === undefined && fresh === undefined) return {};
    const isIt = (change: FileChange) => (change.new?.path ?? change.old?.path) === raw;
    const renamed = (await this.#renames()).find(isIt);
    return renamed ?? (old === undefined ? { new: fresh as FileSide } : { old });
  }

  async #findRenames(): Promise<readonly FileChange[]> {
    const { code, mergeBase, commitId } = this.#reviewed;
    const { history } = code;
    const [before, after] = [(await history.links(mergeBase)).tree, (await history.links(commitId)).tree];
    const { changes, isCut } = await diffTrees(history, before, after, diffLimits);
    return isCut ? [] : detectRenames(history, changes);
  }
}
