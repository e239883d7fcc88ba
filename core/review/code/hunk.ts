import type { CodePlace } from "../../comment/comment.table.ts";
import type { ContentPair } from "../../git/diff/file-tasks.ts";
import { diffLines } from "../../git/diff/lines/line-diff.ts";
import { type Lines, lineAt, splitLines } from "../../git/diff/lines/lines.ts";
import { unifiedHunks } from "../../git/diff/patch/unified.ts";

/** Lines of a hunk before the commented one, and the most characters of each. */
const most = { linesBefore: 4, lineCharacters: 400 };
const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const [headerMark, backslash, plus, minus] = [0x40, 0x5c, 0x2b, 0x2d];

/** A line of a file, before a change or after it. */
export type LinePlace = Pick<CodePlace, "side" | "line">;

/** A line of a diff: its sign, its text, and the numbers of the lines that come with or after it on both sides. */
interface Row {
  readonly mark: string;
  readonly text: string;
  readonly old: number;
  readonly new: number;
}

/** The hunk up to each of some lines of a file; empty when nothing differs, undefined where there is no such line. */
export function hunksUpTo(
  { before, after }: ContentPair,
  places: readonly LinePlace[],
): (string | undefined)[] {
  const files = { old: splitLines(before), new: splitLines(after) };
  const hunks = before.equals(after)
    ? undefined
    : splitLines(Buffer.concat([...unifiedHunks(diffLines(before, after))]));
  return places.map((place) => {
    const file = files[place.side];
    if (place.line > file.count) return undefined;
    return hunks === undefined ? "" : hunkUpTo(hunks, file, place);
  });
}

/**
 * The end of the hunk that holds a line, up to that line: a header, and at most four lines before it (semantics §46.1).
 * A line that no hunk holds stands among those around it; `file` is the one that the line is in. Both may have a million
 * lines: nothing is made of those that are passed.
 */
function hunkUpTo(hunks: Lines, file: Lines, place: LinePlace): string {
  const { data, count, starts } = hunks;
  const otherMark = place.side === "old" ? plus : minus;
  const next = { old: 1, new: 1 };
  for (let at = 0, first = 0; at < count; at++) {
    const mark = data[starts[at] as number];
    if (mark === headerMark) {
      const begin = rangesOf(lineAt(hunks, at));
      if (begin[place.side] > place.line) break;
      Object.assign(next, begin);
      first = at + 1;
    }
    if (mark === headerMark || mark === backslash) continue;
    if (mark !== otherMark && next[place.side] === place.line)
      return textOf(rowsUpTo(hunks, first, at, next));
    if (mark !== plus) next.old += 1;
    if (mark !== minus) next.new += 1;
  }
  return textOf(unchangedRows(file, place, next.new - next.old));
}

/** The last rows from one line of the hunks to another, whose numbers are given. */
function rowsUpTo(hunks: Lines, first: number, last: number, numbers: Pick<Row, "old" | "new">): Row[] {
  const rows: Row[] = [];
  let next = numbers;
  for (let at = last; at >= first && rows.length <= most.linesBefore; at--) {
    const text = shownText(lineAt(hunks, at));
    const mark = text[0] as string;
    if (mark === "\\") continue;
    const isLast = at === last;
    next = {
      old: next.old - (isLast || mark === "+" ? 0 : 1),
      new: next.new - (isLast || mark === "-" ? 0 : 1),
    };
    rows.unshift({ mark, text: text.slice(1), ...next });
  }
  return rows;
}

/** The first lines of a hunk, by its header. */
function rangesOf(line: Buffer): { readonly old: number; readonly new: number } {
  const [, oldStart, oldCount, newStart, newCount] = header.exec(line.toString("latin1")) ?? [];
  return { old: beginOf(oldStart, oldCount), new: beginOf(newStart, newCount) };
}

/** Lines count from 1; the number of an empty range is that of the line before it. */
const beginOf = (start: string | undefined, count: string | undefined): number =>
  Number(start) + (count === "0" ? 1 : 0);

/** Lines that both sides have, the commented one last; `shift`: how much further down they are on the new side. */
function unchangedRows(lines: Lines, { side, line }: LinePlace, shift: number): Row[] {
  const first = Math.max(1, line - most.linesBefore, side === "new" ? 1 + shift : 1 - shift);
  const rows: Row[] = [];
  for (let at = first; at <= line; at++) {
    const [old, fresh] = side === "old" ? [at, at + shift] : [at - shift, at];
    rows.push({ mark: " ", text: shownText(lineAt(lines, at - 1)), old, new: fresh });
  }
  return rows;
}

function textOf(rows: readonly Row[]): string {
  const [first] = rows;
  if (first === undefined) return "";
  const rangeOf = (start: number, otherMark: string) => {
    const count = rows.filter(({ mark }) => mark !== otherMark).length;
    return `${count === 0 ? start - 1 : start},${count}`;
  };
  const ranges = `@@ -${rangeOf(first.old, "+")} +${rangeOf(first.new, "-")} @@`;
  return [ranges, ...rows.map(({ mark, text }) => mark + text)].join("\n");
}

const shownText = (line: Buffer): string =>
  line
    .subarray(0, most.lineCharacters * 4)
    .toString("utf8")
    .replace(/\r?\n$/, "")
    .slice(0, most.lineCharacters);
