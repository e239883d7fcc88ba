import { diffLimits } from "../code/commit-details.ts";
import { type Code, openCode } from "../code/open.ts";
import type { CodePlace } from "../comment/comment.table.ts";
import { TaskEnded } from "../compute/task.ts";
import { unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { FileChange, FileSide } from "../git/diff/file-change.ts";
import { type FileContent, FileContents } from "../git/diff/file-content.ts";
import { writeHunksTask } from "../git/diff/file-tasks.ts";
import { splitLines } from "../git/diff/lines.ts";
import { detectRenames } from "../git/diff/renames.ts";
import { diffTrees } from "../git/diff/tree-diff.ts";
import { isObjectId, type ObjectId } from "../git/format/object-format.ts";
import { directoryMode } from "../git/format/tree.ts";
import { isAncestor } from "../git/history/merge-base.ts";
import { findEntry } from "../git/history/tree-entry.ts";
import { branchPrefix } from "../git/refs/ref-name.ts";
import { lazy } from "../lazy.ts";
import type { PullRequest } from "../pull/pull.table.ts";
import { newestCommon } from "../pull/sides.ts";
import { hunkUpTo } from "./hunk.ts";

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

/** Finds lines in the change of a request, each file once. */
export class CodePlaces {
  readonly #reviewed: ReviewedCommit;
  readonly #contents: FileContents;
  readonly #files = new Map<string, Promise<Sides>>();
  readonly #hunks = new Map<string, Promise<Buffer | undefined>>();
  readonly #renames: () => Promise<readonly FileChange[]>;
  #bytes = 0;

  constructor(reviewed: ReviewedCommit) {
    this.#reviewed = reviewed;
    this.#contents = new FileContents(reviewed.code.history, most.fileBytes);
    this.#renames = lazy(() => this.#findRenames());
  }

  /** The place of a line with its hunk. 422 when there is no such file, or it has no such line. */
  async find({ path, side, line }: NamedLine): Promise<CodePlace> {
    const bare = { path, side, line, commitId: this.#reviewed.commitId };
    const sides = await this.#sidesOf(path);
    const file = sides[side];
    if (file === undefined) throw unprocessable(`the change has no such file [path: ${path}]`);
    if (this.#bytes > most.bytes) return { ...bare, hunk: "" };
    const content = await this.#contents.of(file);
    if (content.kind !== "text") return { ...bare, hunk: "" };
    const lines = splitLines(content.data);
    if (line > lines.count) throw unprocessable(`the file has no such line [path: ${path}, line: ${line}]`);
    const hunks = await this.#hunksOf(path, sides);
    return { ...bare, hunk: hunks === undefined ? "" : hunkUpTo(hunks, lines, bare) };
  }

  #sidesOf(path: string): Promise<Sides> {
    const known = this.#files.get(path) ?? this.#readSides(path);
    this.#files.set(path, known);
    return known;
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

  #hunksOf(path: string, sides: Sides): Promise<Buffer | undefined> {
    const known = this.#hunks.get(path) ?? this.#readHunks(sides);
    this.#hunks.set(path, known);
    return known;
  }

  /** Undefined when nothing differs, or it can't be compared. */
  async #readHunks({ old, new: fresh }: Sides): Promise<Buffer | undefined> {
    if (old?.id === fresh?.id) return undefined;
    const [before, after] = [await this.#contents.of(old), await this.#contents.of(fresh)];
    this.#bytes += bytesOf(before) + bytesOf(after);
    if (before.kind !== "text" || after.kind !== "text") return undefined;
    const input = { before: before.data, after: after.data, context: 3 };
    return this.#reviewed.code.history.compute(writeHunksTask, input).catch(unlessEnded);
  }
}

const bytesOf = (content: FileContent): number => ("data" in content ? content.data.length : 0);

function unlessEnded(error: unknown): undefined {
  if (!(error instanceof TaskEnded)) throw error;
}
