import type { CodePlace } from "../comment/comment.table.ts";
import { type Lines, lineAt } from "../git/diff/lines.ts";

/** Lines of a hunk before the commented one, and the most characters of each. */
const most = { linesBefore: 4, lineCharacters: 400 };
const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const lineFeed = 0x0a;

type Place = Pick<CodePlace, "side" | "line">;

/** A line of a diff: its sign, its text, and the numbers of the lines that come with or after it on both sides. */
interface Row {
  readonly mark: string;
  readonly text: string;
  readonly old: number;
  readonly new: number;
}

/**
 * The end of the hunk that holds a line, up to that line: a header, and at most four lines before it (semantics §46.1).
 * A line that no hunk holds stands among those around it; `lines` are its file's.
 */
export function hunkUpTo(hunks: Buffer, lines: Lines, place: Place): string {
  let rows: Row[] = [];
  const next = { old: 1, new: 1 };
  for (const line of linesOf(hunks)) {
    const start = header.exec(line);
    if (start !== null) {
      const begin = { old: beginOf(start[1], start[2]), new: beginOf(start[3], start[4]) };
      if (begin[place.side] > place.line) break;
      Object.assign(next, begin);
      rows = [];
      continue;
    }
    const mark = line[0] as string;
    if (mark === "\\") continue;
    const row = { mark, text: line.slice(1), ...next };
    rows = [...rows.slice(-most.linesBefore), row];
    const otherMark = place.side === "old" ? "+" : "-";
    if (mark !== otherMark && row[place.side] === place.line) return textOf(rows);
    if (mark !== "+") next.old += 1;
    if (mark !== "-") next.new += 1;
  }
  return textOf(unchangedRows(lines, place, next.new - next.old));
}

/** Lines count from 1; the number of an empty range is that of the line before it. */
const beginOf = (start: string | undefined, count: string | undefined): number =>
  Number(start) + (count === "0" ? 1 : 0);

/** Lines that both sides have, the commented one last; `shift`: how much further down they are on the new side. */
function unchangedRows(lines: Lines, { side, line }: Place, shift: number): Row[] {
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

function* linesOf(hunks: Buffer): Generator<string> {
  for (let start = 0; start < hunks.length; ) {
    const end = hunks.indexOf(lineFeed, start);
    const next = end < 0 ? hunks.length : end + 1;
    yield shownText(hunks.subarray(start, next));
    start = next;
  }
}

const shownText = (line: Buffer): string =>
  line
    .subarray(0, most.lineCharacters * 4)
    .toString("utf8")
    .replace(/\r?\n$/, "")
    .slice(0, most.lineCharacters);
