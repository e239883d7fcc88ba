import type { Lines } from "./lines.ts";
import { splitLines } from "./lines.ts";

/**
 * Which whitespace lines may differ in and still be equal: all of it (`git diff -w`), how much there is (`-b`), that at
 * their ends (`--ignore-space-at-eol`), or none.
 */
export const whitespaceWords = ["ignore-all", "ignore-change", "ignore-eol", "show-all"] as const;
export type IgnoredWhitespace = Exclude<(typeof whitespaceWords)[number], "show-all">;

const space = 0x20;
const lineFeed = 0x0a;
/** What git takes for whitespace: of a line's end, too. */
const isSpace = (byte: number): boolean => byte === space || byte === 0x09 || byte === 0x0d;

/** A text in whose lines only that whitespace is left which counts. It has as many lines, and each has a line feed. */
export function withoutWhitespace(data: Buffer, ignored: IgnoredWhitespace): Buffer {
  const lines = splitLines(data);
  const out = Buffer.alloc(data.length + 1);
  let length = 0;
  for (let line = 0; line < lines.count; line++) {
    length = copyLine(lines, line, ignored, out, length);
    out[length++] = lineFeed;
  }
  return out.subarray(0, length);
}

/** Writes what counts of a line; answers where it ends. */
function copyLine(
  { data, starts }: Lines,
  line: number,
  ignored: IgnoredWhitespace,
  out: Buffer,
  start: number,
): number {
  let [length, end] = [start, starts[line + 1] as number];
  const from = starts[line] as number;
  while (end > from && isSpaceOrFeed(data[end - 1] as number)) end -= 1;
  for (let at = from; at < end; at++) {
    const byte = data[at] as number;
    if (ignored === "ignore-eol" || !isSpace(byte)) out[length++] = byte;
    else if (ignored === "ignore-change" && !isSpace(data[at + 1] as number)) out[length++] = space;
  }
  return length;
}

const isSpaceOrFeed = (byte: number): boolean => byte === lineFeed || isSpace(byte);
