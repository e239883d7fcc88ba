const wordPattern = /[\p{L}\p{N}]+/gu;
const mostQueryWords = 8;
const shortestPrefix = 3;

/** The words of a text as they are compared: compatibility forms folded, lower case, runs of letters and digits. */
export const wordsOf = (text: string): string[] =>
  text.normalize("NFKC").toLowerCase().match(wordPattern) ?? [];

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
