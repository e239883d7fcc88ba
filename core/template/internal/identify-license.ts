import { findLicense, listLicenses } from "../licenses.ts";

/** A text's words as sorted hashes: two texts share as many as their lists do. */
type Words = Uint32Array;

/** Two texts are one license when they share so much of their words; years and holders are left out before. */
const leastLikeness = 0.95;
const fewestWords = 20;

/**
 * The SPDX identifier of the license that a text is, give or take a few words and who holds the copyright; undefined
 * when it is like none. Of licenses with one text it is that of this version alone (`GPL-3.0-only`).
 */
export function identifyLicense(text: string): string | undefined {
  const words = wordsOf(text);
  if (words.length < fewestWords) return undefined;
  let [best, most] = [undefined as string | undefined, leastLikeness];
  for (const { key, words: its } of knownLicenses()) {
    // Lists of such different lengths can't share as much.
    const likest = (2 * Math.min(words.length, its.length)) / (words.length + its.length);
    if (likest <= most) continue;
    const likeness = (2 * sharedBy(words, its)) / (words.length + its.length);
    if (likeness > most) [best, most] = [key, likeness];
  }
  return best;
}

interface KnownLicense {
  readonly key: string;
  readonly words: Words;
}
let known: readonly KnownLicense[] | undefined;

/** Read once in a process. Of those with one text the first counts. */
function knownLicenses(): readonly KnownLicense[] {
  known ??= listLicenses()
    .sort((one, other) => rank(one) - rank(other))
    .map((key) => ({ key, words: wordsOf(findLicense(key)?.body ?? "") }));
  return known;
}

/** What a text alone can't tell comes last: that later versions count, and names that others took the place of. */
function rank(key: string): number {
  if (key.endsWith("-only")) return 0;
  return /-or-later$|\+$|-(no-)?invariants/.test(key) ? 2 : 1;
}

/** A match stays in its line: one that ran over line breaks would take quadratic time with many of them. */
const holder =
  /^[^\w\r\n\u2028\u2029]*(copyright\b.*|\(c\).*|\xa9.*|all rights reserved[^\w\r\n\u2028\u2029]*)$/gim;

function wordsOf(text: string): Words {
  const words =
    text
      .toLowerCase()
      .replace(holder, "")
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return Uint32Array.from(words, hashOf).sort();
}

/** FNV-1a in 32 bits. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at += 1) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

function sharedBy(one: Words, other: Words): number {
  let [shared, at, beside] = [0, 0, 0];
  while (at < one.length && beside < other.length) {
    const difference = (one[at] as number) - (other[beside] as number);
    if (difference === 0) shared += 1;
    if (difference <= 0) at += 1;
    if (difference >= 0) beside += 1;
  }
  return shared;
}
