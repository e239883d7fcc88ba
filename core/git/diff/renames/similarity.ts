import { wholeSimilarity } from "../file-change.ts";

/** A file's fingerprint: bytes by class of line or chunk, classes in order. */
export interface Fingerprint {
  readonly kinds: Uint32Array;
  readonly bytes: Uint32Array;
}

/**
 * The longest chunk that counts as a line, and the number of line classes: git's, because its percentages rest on them.
 */
const longestPiece = 64;
const kindCount = 107_927;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Counts a file's bytes by line. A last line without a line feed does not count, nor does a carriage return before a
 * line feed in a text.
 */
export function fingerprintOf(data: Buffer, isText: boolean): Fingerprint {
  const counts = new Map<number, number>();
  let length = 0;
  let high = 0;
  let low = 0;
  for (let at = 0; at < data.length; at++) {
    const byte = data[at] as number;
    if (isText && byte === carriageReturn && data[at + 1] === lineFeed) continue;
    const before = high;
    high = (((high << 7) ^ (low >>> 25)) + byte) | 0;
    low = (low << 7) ^ (before >>> 25);
    length += 1;
    if (length < longestPiece && byte !== lineFeed) continue;
    const kind = ((high + Math.imul(low, 0x61)) >>> 0) % kindCount;
    counts.set(kind, (counts.get(kind) ?? 0) + length);
    length = 0;
    high = 0;
    low = 0;
  }
  const kinds = Uint32Array.from(counts.keys()).sort();
  return { kinds, bytes: kinds.map((kind) => counts.get(kind) as number) };
}

/** Bytes of one file that are found in another. */
export function copiedBytes(from: Fingerprint, to: Fingerprint): number {
  let copied = 0;
  let at = 0;
  for (let number = 0; number < from.kinds.length; number++) {
    const kind = from.kinds[number] as number;
    while (at < to.kinds.length && (to.kinds[at] as number) < kind) at += 1;
    if (at === to.kinds.length) break;
    if (to.kinds[at] === kind) copied += Math.min(from.bytes[number] as number, to.bytes[at] as number);
  }
  return copied;
}

/** Whether two sizes alone rule out that the files are as similar as asked. */
export function sizesRuleOut(one: number, other: number, least: number): boolean {
  const [small, large] = one < other ? [one, other] : [other, one];
  return large * (wholeSimilarity - least) < (large - small) * wholeSimilarity;
}
