import { type Lines, lineAt } from "../diff/lines/lines.ts";
import type { MarkerOptions, Range } from "./merge-text.ts";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Writes a merged text: our lines, the changes of each side, conflicts between marks. */
export class MergeWriter {
  readonly #base: Lines;
  readonly #ours: Lines;
  readonly #theirs: Lines;
  readonly #options: MarkerOptions;
  readonly #parts: Buffer[] = [];

  constructor(base: Lines, ours: Lines, theirs: Lines, options: MarkerOptions) {
    this.#base = base;
    this.#ours = ours;
    this.#theirs = theirs;
    this.#options = options;
  }

  write(ranges: readonly Range[]): Buffer {
    let at = 0;
    for (const range of ranges) {
      const { side, ourStart, ourCount, theirStart, theirCount } = range;
      if (side === "same") continue;
      this.#copy(this.#ours, at, ourStart - at);
      if (side === "ours") this.#copy(this.#ours, ourStart, ourCount);
      else if (side === "theirs") this.#copy(this.#theirs, theirStart, theirCount);
      else this.#conflict(range);
      at = ourStart + ourCount;
    }
    this.#copy(this.#ours, at, this.#ours.count - at);
    return Buffer.concat(this.#parts);
  }

  #copy({ data, starts }: Lines, from: number, count: number): void {
    if (count > 0) this.#parts.push(data.subarray(starts[from], starts[from + count]));
  }

  #conflict(range: Range): void {
    const end = Buffer.from(this.#hasCarriageReturns(range) ? "\r\n" : "\n");
    const { ours, theirs, markerSize = 7 } = this.#options;
    const mark = (sign: string, name: string) => {
      this.#parts.push(Buffer.from(`${sign.repeat(markerSize)}${name === "" ? "" : ` ${name}`}`), end);
    };
    mark("<", ours);
    this.#copyWhole(this.#ours, range.ourStart, range.ourCount, end);
    mark("=", "");
    this.#copyWhole(this.#theirs, range.theirStart, range.theirCount, end);
    mark(">", theirs);
  }

  /** The same with a line feed at the end in any case. */
  #copyWhole(text: Lines, from: number, count: number, end: Buffer): void {
    this.#copy(text, from, count);
    if (count > 0 && lineAt(text, from + count - 1).at(-1) !== lineFeed) this.#parts.push(end);
  }

  /** Whether marks end in a carriage return too, like the lines of both sides and of the base. */
  #hasCarriageReturns({ ourStart, theirStart }: Range): boolean {
    const ours = endsWithCarriageReturn(this.#ours, Math.max(ourStart - 1, 0));
    if (ours === false) return false;
    const theirs = endsWithCarriageReturn(this.#theirs, Math.max(theirStart - 1, 0));
    if (theirs === false) return false;
    return endsWithCarriageReturn(this.#base, 0) ?? false;
  }
}

/** Whether a line ends in carriage return and line feed; the line before decides when it has no end; else unknown. */
function endsWithCarriageReturn(text: Lines, line: number): boolean | undefined {
  if (text.count === 0) return undefined;
  const bytes = lineAt(text, Math.min(line, text.count - 1));
  if (bytes.at(-1) === lineFeed) return bytes.at(-2) === carriageReturn;
  return line === 0 ? undefined : lineAt(text, line - 1).at(-2) === carriageReturn;
}
