import { TaskEnded } from "../../compute/task.ts";
import type { FileSide } from "../../git/diff/file-change.ts";
import type { FileContents } from "../../git/diff/file-content.ts";
import type { ObjectId } from "../../git/format/object-format.ts";
import { directoryMode } from "../../git/format/tree.ts";
import type { History } from "../../git/history/history.ts";
import { findEntry } from "../../git/history/tree-entry.ts";
import { linesBeforeTask } from "./review-tasks.ts";

/** Of the history of all files of one call so much is looked at. */
const most = { commits: 2_000, bytes: 32 * 2 ** 20, ms: 3_000 };

/** Lines of a file as a commit has them; `asked`: the numbers under which they were asked for. */
interface FileLines {
  readonly commitId: ObjectId;
  readonly file: FileSide;
  readonly lines: readonly { readonly asked: number; readonly line: number }[];
}

/** Finds the commits that last changed lines, as `git blame` does, but within one path: it follows no renames. */
export class LineCommits {
  readonly #history: History;
  readonly #contents: FileContents;
  readonly #until = performance.now() + most.ms;
  #commits = 0;
  #bytes = 0;

  constructor(history: History, contents: FileContents) {
    this.#history = history;
    this.#contents = contents;
  }

  /** By the line's number; a line is missing when it takes too long to find out. */
  async find(
    commitId: ObjectId,
    file: FileSide,
    lines: readonly number[],
  ): Promise<ReadonlyMap<number, ObjectId>> {
    const found = new Map<number, ObjectId>();
    const due: FileLines[] = [{ commitId, file, lines: lines.map((line) => ({ asked: line, line })) }];
    for (let next = due.pop(); next !== undefined && !this.#isOver(); next = due.pop()) {
      this.#commits += 1;
      const { own, former } = await this.#trace(next);
      for (const { asked } of own) found.set(asked, next.commitId);
      due.push(...former);
    }
    return found;
  }

  #isOver(): boolean {
    return this.#commits >= most.commits || this.#bytes > most.bytes || performance.now() > this.#until;
  }

  /** The lines that the commit brought itself, and those that its parents have. */
  async #trace({ commitId, file, lines }: FileLines): Promise<{
    readonly own: FileLines["lines"];
    readonly former: readonly FileLines[];
  }> {
    const parents: Omit<FileLines, "lines">[] = [];
    for (const parent of (await this.#history.links(commitId)).parents) {
      const there = await this.#fileIn(parent, file.path);
      if (there?.id === file.id) return { own: [], former: [{ commitId: parent, file: there, lines }] };
      if (there !== undefined) parents.push({ commitId: parent, file: there });
    }
    const former: FileLines[] = [];
    let own = lines;
    for (const parent of parents) {
      const numbers = await this.#linesBefore(parent.file, file, own);
      if (numbers === undefined) return { own: [], former: [] };
      const kept = own.flatMap(({ asked }, at) => {
        const line = numbers[at];
        return line === undefined ? [] : [{ asked, line }];
      });
      own = own.filter((_line, at) => numbers[at] === undefined);
      if (kept.length > 0) former.push({ ...parent, lines: kept });
    }
    return { own, former };
  }

  async #fileIn(commitId: ObjectId, path: string): Promise<FileSide | undefined> {
    const entry = await findEntry(this.#history, (await this.#history.links(commitId)).tree, path);
    return entry === undefined || entry.mode === directoryMode ? undefined : { path, ...entry };
  }

  /** Undefined when the two can't be compared. */
  async #linesBefore(
    old: FileSide,
    fresh: FileSide,
    lines: FileLines["lines"],
  ): Promise<(number | undefined)[] | undefined> {
    const [before, after] = [await this.#contents.of(old), await this.#contents.of(fresh)];
    if (before.kind !== "text" || after.kind !== "text") return undefined;
    this.#bytes += before.data.length + after.data.length;
    const input = { before: before.data, after: after.data, lines: lines.map(({ line }) => line) };
    return this.#history.compute(linesBeforeTask, input).catch((error: unknown) => {
      if (!(error instanceof TaskEnded)) throw error;
      return undefined;
    });
  }
}
