const wordPattern = /[\p{L}\p{N}]+/gu;
/**
 * Texts are folded in stretches that end, if they can, at a space: the time for one grows with the square of the
 * combining marks in a row.
 */
const stretchPattern = /.{0,127}\s|\S{1,128}/gsu;
/** A character may fold into 18: beyond so many the rest of a text is not looked at. */
const mostFoldedCharacters = 131_072;
const mostQueryWords = 8;
const shortestPrefix = 3;

/** The words of a text as they are compared: compatibility forms folded, lower case, runs of letters and digits. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  let left = mostFoldedCharacters;
  for (const [stretch] of text.matchAll(stretchPattern)) {
    const folded = stretch.normalize("NFKC").toLowerCase();
    left -= folded.length;
    if (left < 0) break;
    words.push(...(folded.match(wordPattern) ?? []));
  }
  return words;
}

/**
 * A test for the words of a keyword query (D-SEARCH): a text matches when it holds all of them, the last one also as
 * the beginning of a word. Undefined when the query has no word at all. Words beyond the eighth are not looked at.
 */
export function wordTest(query: string): ((text: string) => boolean) | undefined {
  const wanted = wordsOf(query).slice(0, mostQueryWords);
  const last = wanted.at(-1);
  if (last === undefined) return undefined;
  return (text) => {
    const words = wordsOf(text);
    const present = new Set(words);
    const isPrefix = last.length >= shortestPrefix && words.some((word) => word.startsWith(last));
    return wanted.every((word) => present.has(word) || (word === last && isPrefix));
  };
}
