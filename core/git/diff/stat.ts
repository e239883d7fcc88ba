import type { History } from "../walk/history.ts";
import { type FileChange, type FileSide, sideOf, similarityPercent } from "./file-change.ts";
import { FileContents } from "./file-content.ts";
import { diffLines } from "./line-diff.ts";
import { modeText } from "./patch.ts";
import { quotePath } from "./quote-path.ts";

/** How much a file changed. Of binary files lines mean nothing: their sizes in bytes are told. */
export interface FileStat {
  readonly change: FileChange;
  /** Lines, or of a binary file the bytes after and before. */
  readonly added: number;
  readonly deleted: number;
  readonly isBinary: boolean;
}

/** Lines over all text files. */
export interface StatTotals {
  readonly files: number;
  readonly additions: number;
  readonly deletions: number;
}

/** Counts the lines that changes add and delete, as `git diff --numstat` does. */
export async function* fileStats(
  history: History,
  changes: readonly FileChange[],
  options: { readonly largestFile?: number } = {},
): AsyncGenerator<FileStat> {
  const contents = new FileContents(history, options.largestFile);
  for (const [at, change] of changes.entries()) {
    if (at % 64 === 0) await contents.fetch(differing(changes.slice(at, at + 64)));
    const pause = history.pace();
    if (pause !== undefined) await pause;
    yield await statOf(contents, change);
  }
}

const differing = (changes: readonly FileChange[]): FileSide[] =>
  changes
    .flatMap(({ old, new: fresh }) => (old?.id === fresh?.id ? [] : [old, fresh]))
    .filter((side) => side !== undefined);

async function statOf(contents: FileContents, change: FileChange): Promise<FileStat> {
  const [before, after] = [await contents.of(change.old), await contents.of(change.new)];
  const isSame = change.old?.id === change.new?.id;
  if (before.kind !== "text" || after.kind !== "text") {
    const bytes = (content: typeof before) =>
      isSame ? 0 : content.kind === "large" ? content.size : content.data.length;
    return { change, added: bytes(after), deleted: bytes(before), isBinary: true };
  }
  if (isSame) return { change, added: 0, deleted: 0, isBinary: false };
  const { changes } = diffLines(before.data, after.data);
  return {
    change,
    added: changes.reduce((sum, { newCount }) => sum + newCount, 0),
    deleted: changes.reduce((sum, { oldCount }) => sum + oldCount, 0),
    isBinary: false,
  };
}

/** The sums of some stats. */
export function totalsOf(stats: readonly FileStat[]): StatTotals {
  const texts = stats.filter(({ isBinary }) => !isBinary);
  return {
    files: stats.length,
    additions: texts.reduce((sum, { added }) => sum + added, 0),
    deletions: texts.reduce((sum, { deleted }) => sum + deleted, 0),
  };
}

/** `git diff --numstat`, latin1. */
export function numstatText(stats: readonly FileStat[]): string {
  return stats
    .map(({ change, added, deleted, isBinary }) =>
      isBinary ? `-\t-\t${shownName(change)}\n` : `${added}\t${deleted}\t${shownName(change)}\n`,
    )
    .join("");
}

/** `git diff --shortstat`; empty where nothing changed. */
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

/** A file's name in lists: of a rename both, with what they share written once. */
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

/** Length of what both end with from a slash on, which may be the head's last slash. */
function sharedTail(from: string, to: string, head: number): number {
  const overlap = head > 0 ? 1 : 0;
  let length = 0;
  for (let back = 1; ; back++) {
    const [a, b] = [from.length - back, to.length - back];
    if (a < head - overlap || b < head - overlap || a < 0 || b < 0 || from[a] !== to[b]) return length;
    if (from[a] === "/") length = back;
  }
}
