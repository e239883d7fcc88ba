const most32 = 0xffff_ffff;
const most48 = 0xffff_ffff_ffff;

/** A whole number that fits 32 bits: a number out of range becomes the nearest in range. */
export const fit32 = (value: number): number => Math.min(Math.max(Math.trunc(value), 0), most32);
/** The same for 48 bits. */
export const fit48 = (value: number): number => Math.min(Math.max(Math.trunc(value), 0), most48);

/** One bit for each flag that is set, the first in the lowest bit. */
export function packFlags(...flags: readonly boolean[]): number {
  return flags.reduce((bits, isSet, place) => (isSet ? bits | (1 << place) : bits), 0);
}

/**
 * A test of flags: those in `mask` must equal those in `wanted`. Built from the members of a filter; undefined ones
 * leave their flag open.
 */
export class FlagTest {
  mask = 0;
  wanted = 0;

  require(bit: number, value: boolean | undefined): this {
    if (value === undefined) return this;
    this.mask |= bit;
    if (value) this.wanted |= bit;
    return this;
  }

  holds(flags: number): boolean {
    return (flags & this.mask) === this.wanted;
  }
}

/** A text in the form that searches use: lower case, UTF-8. At most `maxBytes`, cut between characters. */
export function searchText(text: string, maxBytes: number): Buffer {
  const bytes = Buffer.from(text.toLowerCase());
  if (bytes.length <= maxBytes) return bytes;
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}

/** Whether `needle` occurs in the bytes from `start` up to but without `end`. */
export function occursIn(bytes: Buffer, start: number, end: number, needle: Buffer): boolean {
  const last = end - needle.length;
  for (let at = start; at <= last; at += 1) {
    let length = 0;
    while (length < needle.length && bytes[at + length] === needle[length]) length += 1;
    if (length === needle.length) return true;
  }
  return false;
}

/** So many 32-bit numbers that lie from `at` on. */
export const numbersAt = (bytes: Buffer, at: number, count: number): number[] =>
  Array.from({ length: count }, (_, place) => bytes.readUInt32BE(at + 4 * place));

/** Whether one of `count` 32-bit numbers from `at` on is `wanted`. */
export function holdsNumber(bytes: Buffer, at: number, count: number, wanted: number): boolean {
  for (let place = 0; place < count; place += 1) {
    if (bytes.readUInt32BE(at + 4 * place) === wanted) return true;
  }
  return false;
}

/** Throws when an entry's format byte is not the one that this code writes. */
export function checkFormat(bytes: Buffer, at: number, format: number, what: string): void {
  if (bytes[at] !== format) throw new Error(`${what} has the unknown format ${bytes[at]}`);
}
