import { TaskEnded } from "../../../compute/task.ts";
import { manySteps } from "../../../concurrency/pacer.ts";
import type { History } from "../../history/history.ts";
import { type FileChange, type FileSide, sideOf, similarityPercent } from "../file-change.ts";
import { FileContents } from "../file-content.ts";
import { countLinesTask } from "../file-tasks.ts";
import type { IgnoredWhitespace } from "../lines/whitespace.ts";
import { modeText } from "./patch.ts";
import { quotePath } from "./quote-path.ts";

/** How much a file changed. Binary files have no lines: their sizes in bytes are given. */
export interface FileStat {
  readonly change: FileChange;
  /** Lines, or of a binary file the bytes after and before. */
  readonly added: number;
  readonly deleted: number;
  readonly isBinary: boolean;
  /** Present when comparing took too long this time, and the file counts as binary. */
  readonly isGivenUp?: true;
}

/** Lines over all text files. */
export interface StatTotals {
  readonly files: number;
  readonly additions: number;
  readonly deletions: number;
}

/** The most steps of comparing for all files together, some seconds: further files count as binary. */
const mostSteps = 600_000_000;

interface StatOptions {
  readonly largestFile?: number;
  /** Lines that differ in this alone are not counted. */
  readonly ignored?: IgnoredWhitespace;
}

/** Counts the lines that changes add and delete, as `git diff --numstat` does. */
export async function* fileStats(
  history: History,
  changes: readonly FileChange[],
  options: StatOptions = {},
): AsyncGenerator<FileStat> {
  const counter = new LineCounter(history, options);
  for (const [at, change] of changes.entries()) {
    if (at % 64 === 0) await counter.fetch(changes.slice(at, at + 64));
    const pause = history.pace(manySteps);
    if (pause !== undefined) await pause;
    yield await counter.statOf(change);
  }
}

class LineCounter {
  readonly #history: History;
  readonly #contents: FileContents;
  readonly #ignored: IgnoredWhitespace | undefined;
  #steps = 0;

  constructor(history: History, { largestFile, ignored }: StatOptions) {
    this.#history = history;
    this.#contents = new FileContents(history, largestFile);
    this.#ignored = ignored;
  }

  /** Fetches contents before they are compared. */
  fetch = (changes: readonly FileChange[]): Promise<void> => this.#contents.fetch(differing(changes));

  async statOf(change: FileChange): Promise<FileStat> {
    const [before, after] = [await this.#contents.of(change.old), await this.#contents.of(change.new)];
    const isSame = change.old?.id === change.new?.id;
    const bytes = (content: typeof before) =>
      isSame ? 0 : content.kind === "large" ? content.size : content.data.length;
    const asBinary = { change, added: bytes(after), deleted: bytes(before), isBinary: true };
    if (before.kind !== "text" || after.kind !== "text") return asBinary;
    if (isSame) return { ...asBinary, isBinary: false };
    if (this.#steps > mostSteps) return asBinary;
    const ignored = this.#ignored === undefined ? {} : { ignored: this.#ignored };
    const counts = await this.#history
      .compute(countLinesTask, { before: before.data, after: after.data, ...ignored })
      .catch(unlessEnded);
    if (counts === undefined) return { ...asBinary, isGivenUp: true };
    this.#steps += counts.steps;
    return { change, added: counts.added, deleted: counts.deleted, isBinary: false };
  }
}

function unlessEnded(error: unknown): undefined {
  if (!(error instanceof TaskEnded)) throw error;
}

const differing = (changes: readonly FileChange[]): FileSide[] =>
  changes
    .flatMap(({ old, new: fresh }) => (old?.id === fresh?.id ? [] : [old, fresh]))
    .filter((side) => side !== undefined);

/** The sums of some stats. */
export function totalsOf(stats: readonly FileStat[]): StatTotals {
  const texts = stats.filter(({ isBinary }) => !isBinary);
  return {
    files: stats.length,
    additions: texts.reduce((sum, { added }) => sum + added, 0),
    deletions: texts.reduce((sum, { deleted }) => sum + deleted, 0),
  };
}

/** `git diff --shortstat`; empty when nothing changed. */
export function shortstatText(stats: readonly FileStat[]): string {
  const { files, additions, deletions } = totalsOf(stats);
  if (files === 0) return "";
  const parts = [` ${files} file${files === 1 ? "" : "s"} changed`];
  if (additions > 0 || deletions === 0) parts.push(`${additions} insertion${additions === 1 ? "" : "s"}(+)`);
  if (deletions > 0 || additions === 0) parts.push(`${deletions} deletion${deletions === 1 ? "" : "s"}(-)`);
  return `${parts.join(", ")}\n`;
}

/** `git diff --summary`, latin1: files that came or went, renames, changed modes. */
export function summaryText(changes: readonly FileChange[]): string {
  return changes.map(summaryOf).join("");
}

function summaryOf(change: FileChange): string {
  const { status, old, new: fresh } = change;
  if (old === undefined)
    return ` create mode ${modeText(sideOf(change))} ${quotePath(sideOf(change).path)}\n`;
  if (fresh === undefined) return ` delete mode ${modeText(old)} ${quotePath(old.path)}\n`;
  const modes = old.mode === fresh.mode ? undefined : ` mode change ${modeText(old)} => ${modeText(fresh)}`;
  if (status !== "renamed" && status !== "copied") return modes ? `${modes} ${quotePath(fresh.path)}\n` : "";
  const percent = similarityPercent(change.similarity ?? 0);
  const verb = status === "renamed" ? "rename" : "copy";
  return ` ${verb} ${renameText(old.path, fresh.path)} (${percent}%)\n${modes ? `${modes}\n` : ""}`;
}

/** A file's name in lists: of a rename both, with their common parts written once. */
export function shownName({ status, old, new: fresh, ...rest }: FileChange): string {
  if (old !== undefined && fresh !== undefined && (status === "renamed" || status === "copied")) {
    return renameText(old.path, fresh.path);
  }
  return quotePath(sideOf({ status, ...(old && { old }), ...(fresh && { new: fresh }), ...rest }).path);
}

/** `folder/{old => new}/file`. */
function renameText(from: string, to: string): string {
  const [quotedFrom, quotedTo] = [quotePath(from), quotePath(to)];
  if (quotedFrom !== from || quotedTo !== to) return `${quotedFrom} => ${quotedTo}`;
  const head = sharedHead(from, to);
  const tail = sharedTail(from, to, head);
  const middle = (path: string) => path.slice(head, Math.max(head, path.length - tail));
  const change = `${middle(from)} => ${middle(to)}`;
  return head + tail === 0 ? change : `${from.slice(0, head)}{${change}}${from.slice(from.length - tail)}`;
}

/** Length of the folders that both paths begin with, last slash included. */
function sharedHead(from: string, to: string): number {
  let length = 0;
  for (let at = 0; at < Math.min(from.length, to.length) && from[at] === to[at]; at++) {
    if (from[at] === "/") length = at + 1;
  }
  return length;
}

/** The length of the common end of both, from a slash on, which may be the head's last slash. */
function sharedTail(from: string, to: string, head: number): number {
  const overlap = head > 0 ? 1 : 0;
  let length = 0;
  for (let back = 1; ; back++) {
    const [a, b] = [from.length - back, to.length - back];
    if (a < head - overlap || b < head - overlap || a < 0 || b < 0 || from[a] !== to[b]) return length;
    if (from[a] === "/") length = back;
  }
}
