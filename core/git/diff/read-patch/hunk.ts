import { PatchLines } from "./patch-lines.ts";

/** A range of a file before and after. Lines have their line feeds; the last of a file may lack it. */
export interface Hunk {
  /** The first old line, from 1; 0 for an empty file. */
  readonly start: number;
  readonly old: readonly string[];
  readonly new: readonly string[];
  /** Lines that stay behind the last change: with none the range ends its file. */
  readonly trailing: number;
}

const header = /^@@ -(\d{1,10})(?:,(\d{1,10}))? \+\d{1,10}(?:,(\d{1,10}))? @@/;

/** Reads a hunk, its header first; or says what is wrong with it. */
export function readHunk(lines: PatchLines): Hunk | string {
  const [, start, oldCount = "1", newCount = "1"] = header.exec(lines.line) ?? [];
  if (start === undefined) return "a hunk begins with @@ -1,2 +3,4 @@";
  lines.next();
  const hunk = { start: Number(start), old: [] as string[], new: [] as string[], trailing: 0 };
  while (hunk.old.length < Number(oldCount) || hunk.new.length < Number(newCount)) {
    if (lines.isAtEnd) return "a hunk ends too early";
    if (!takeLine(hunk, lines)) return "a line of a hunk begins with a blank, + or -";
  }
  if (hunk.old.length > Number(oldCount) || hunk.new.length > Number(newCount)) {
    return "a hunk has more lines than it says";
  }
  return hunk;
}

/** Hunks that were checked before. */
export function readHunks(text: string): Hunk[] {
  const lines = new PatchLines(text);
  const hunks: Hunk[] = [];
  while (lines.line.startsWith("@@ ")) hunks.push(readHunk(lines) as Hunk);
  return hunks;
}

interface OpenHunk extends Hunk {
  readonly old: string[];
  readonly new: string[];
  trailing: number;
}

/** Takes a line, with the one behind it when that says that the file ends without a line feed. */
function takeLine(hunk: OpenHunk, lines: PatchLines): boolean {
  const line = lines.next();
  // Mail programs cut blanks at the ends of lines.
  const mark = line === "" ? " " : line[0];
  if (mark !== " " && mark !== "+" && mark !== "-") return false;
  const isCut = lines.line.startsWith("\\ ");
  if (isCut) lines.next();
  const text = line.slice(1) + (isCut ? "" : "\n");
  if (mark !== "+") hunk.old.push(text);
  if (mark !== "-") hunk.new.push(text);
  hunk.trailing = mark === " " ? hunk.trailing + 1 : 0;
  return true;
}

/** The most lines that the search for places may look at: beyond it a patch does not apply. */
export interface SearchBudget {
  lines: number;
}

/**
 * A file (latin1) after its hunks, or undefined when one of them has no place. Each goes to the place of its old lines
 * that is nearest to its line number, behind the hunk before. As in `git apply`, a hunk from the first line on stays
 * there, and a hunk without lines behind its change ends the file.
 */
export function applyHunks(text: string, hunks: readonly Hunk[], budget: SearchBudget): string | undefined {
  const lines = text === "" ? [] : (text.match(/[^\n]*\n|[^\n]+$/g) as string[]);
  const pieces: string[] = [];
  let [done, shift] = [0, 0];
  for (const hunk of hunks) {
    const wanted = Math.max(0, hunk.start - (hunk.old.length === 0 ? 0 : 1)) + shift;
    const at = placeOf(lines, hunk, { wanted, from: done, budget });
    if (at === undefined) return undefined;
    for (let line = done; line < at; line += 1) pieces.push(lines[line] as string);
    pieces.push(...hunk.new);
    done = at + hunk.old.length;
    shift += at - wanted;
  }
  for (let line = done; line < lines.length; line += 1) pieces.push(lines[line] as string);
  return isJoinable(pieces) ? pieces.join("") : undefined;
}

/** Only the last line may lack its line feed. */
const isJoinable = (pieces: readonly string[]): boolean =>
  pieces.every((piece, at) => piece.endsWith("\n") || at === pieces.length - 1);

function placeOf(
  lines: readonly string[],
  { old, start, trailing }: Hunk,
  { wanted, from, budget }: { readonly wanted: number; readonly from: number; readonly budget: SearchBudget },
): number | undefined {
  const last = lines.length - old.length;
  const mustBegin = start <= 1;
  const mustEnd = trailing === 0;
  if (mustBegin || mustEnd) {
    const at = mustEnd ? last : 0;
    const isThere = at >= from && (!mustBegin || at === 0) && standsAt(lines, old, at, budget);
    return isThere ? at : undefined;
  }
  for (let distance = 0; budget.lines > 0; distance += 1) {
    const [below, above] = [wanted + distance, wanted - distance];
    if (below > last && above < from) return undefined;
    if (above >= from && above <= last && standsAt(lines, old, above, budget)) return above;
    if (distance > 0 && below >= from && below <= last && standsAt(lines, old, below, budget)) return below;
  }
  return undefined;
}

function standsAt(
  lines: readonly string[],
  old: readonly string[],
  at: number,
  budget: SearchBudget,
): boolean {
  budget.lines -= 1;
  for (let line = 0; line < old.length; line += 1) {
    if (lines[at + line] !== old[line]) return false;
    budget.lines -= 1;
  }
  return at >= 0;
}
