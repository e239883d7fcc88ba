import type { LineChange, LineDiff } from "../lines/line-diff.ts";
import { type Lines, lineAt } from "../lines/lines.ts";

/** Lines of context around changes in a patch. */
export const defaultContext = 3;

const noLineFeed = Buffer.from("\n\\ No newline at end of file\n");
const lineFeed = 0x0a;
const marks = { context: Buffer.from(" "), removed: Buffer.from("-"), added: Buffer.from("+") };

/** The hunks of a unified diff, in pieces to be joined. */
export function* unifiedHunks(diff: LineDiff, context = defaultContext): Generator<Buffer> {
  const sections = new Sections(diff.old);
  for (const hunk of hunksOf(diff.changes, context)) yield* oneHunk(diff, hunk, context, sections);
}

/** Changes whose contexts touch share a hunk. */
function* hunksOf(changes: readonly LineChange[], context: number): Generator<readonly LineChange[]> {
  let hunk: LineChange[] = [];
  for (const change of changes) {
    const last = hunk.at(-1);
    if (last !== undefined && change.oldStart - (last.oldStart + last.oldCount) > 2 * context) {
      yield hunk;
      hunk = [];
    }
    hunk.push(change);
  }
  if (hunk.length > 0) yield hunk;
}

function* oneHunk(
  diff: LineDiff,
  hunk: readonly LineChange[],
  context: number,
  sections: Sections,
): Generator<Buffer> {
  const first = hunk[0] as LineChange;
  const last = hunk.at(-1) as LineChange;
  const before = { old: Math.max(first.oldStart - context, 0), new: Math.max(first.newStart - context, 0) };
  const ends = { old: last.oldStart + last.oldCount, new: last.newStart + last.newCount };
  const tail = Math.min(context, diff.old.count - ends.old, diff.new.count - ends.new);
  const oldRange = rangeText(before.old, ends.old + tail - before.old);
  const newRange = rangeText(before.new, ends.new + tail - before.new);
  yield Buffer.from(`@@ -${oldRange} +${newRange} @@`);
  yield* sections.before(before.old);
  let at = before.new;
  for (const change of hunk) {
    yield* linesOf(diff.new, at, change.newStart, marks.context);
    yield* linesOf(diff.old, change.oldStart, change.oldStart + change.oldCount, marks.removed);
    at = change.newStart + change.newCount;
    yield* linesOf(diff.new, change.newStart, at, marks.added);
  }
  yield* linesOf(diff.new, at, at + tail, marks.context);
}

/** Lines count from 1; an empty range has the number of the line before it. */
function rangeText(start: number, count: number): string {
  if (count === 1) return `${start + 1}`;
  return `${count === 0 ? start : start + 1},${count}`;
}

function* linesOf(text: Lines, from: number, to: number, mark: Buffer): Generator<Buffer> {
  for (let line = from; line < to; line++) {
    const bytes = lineAt(text, line);
    yield mark;
    yield bytes;
    if (bytes[bytes.length - 1] !== lineFeed) yield noLineFeed;
  }
}

const mostSectionBytes = 80;
const end = Buffer.from("\n");

/** Finds the line that names a hunk's section: the nearest line before it that begins like a definition. */
class Sections {
  readonly #text: Lines;
  #seen = 0;
  #current: Buffer | undefined;

  constructor(text: Lines) {
    this.#text = text;
  }

  /** The end of the header of a hunk that begins at a line. */
  *before(line: number): Generator<Buffer> {
    for (let at = line - 1; at >= this.#seen; at--) {
      const found = sectionOf(lineAt(this.#text, at));
      if (found === undefined) continue;
      this.#current = found;
      break;
    }
    this.#seen = Math.max(this.#seen, line);
    if (this.#current !== undefined && this.#current.length > 0) {
      yield Buffer.from(" ");
      yield this.#current;
    }
    yield end;
  }
}

/** Letters, `_` and `$` begin a definition. The line is cut to 80 bytes, and where it stops being UTF-8. */
function sectionOf(line: Buffer): Buffer | undefined {
  const [byte = 0] = line;
  const isLetter = (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
  if (!isLetter && byte !== 0x5f && byte !== 0x24) return undefined;
  let length = Math.min(line.length, mostSectionBytes);
  while (length > 0 && isSpace(line[length - 1] as number)) length -= 1;
  return validUtf8Head(line.subarray(0, length));
}

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;

function validUtf8Head(bytes: Buffer): Buffer {
  const text = bytes.toString("utf8");
  const at = text.indexOf("\ufffd");
  return at < 0 ? bytes : bytes.subarray(0, Buffer.byteLength(text.slice(0, at)));
}
