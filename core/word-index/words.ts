/** One word of a query; as a prefix it also stands for every word that begins with it. */
export interface QueryWord {
  readonly text: string;
  readonly isPrefix: boolean;
}

const mostWords = 256;
const mostWordCharacters = 32;
const mostQueryWords = 8;
const shortestPrefix = 3;
/** A character may fold into 18: a text is not looked at beyond this many. */
const mostFoldedCharacters = 262_144;

const lettersPattern = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
/** The time to normalize consecutive marks grows with the square of their number: nobody needs more than eight. */
const marksPattern = /([\p{M}\uff9e\uff9f]{8})[\p{M}\uff9e\uff9f]+/gu;
/** Scripts that set no spaces between words. */
const unspaced =
  "\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Bopo}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}";
const scriptPattern = new RegExp(`(?:[${unspaced}]\\p{M}*)+|[^${unspaced}]+`, "gu");
const characterPattern = new RegExp(`[${unspaced}]\\p{M}*`, "gu");
const unspacedStart = new RegExp(`^[${unspaced}]`, "u");

/**
 * The first 256 different words of texts, in order: compatibility forms folded, lower case, runs of letters and digits
 * with their marks, cut at 32 characters. In scripts without spaces each two neighbors are a word, and so is the last
 * character of a run.
 */
export function wordsOf(...texts: readonly string[]): Set<string> {
  const words = new Set<string>();
  for (const text of texts) {
    for (const { characters, isUnspaced } of runs(text)) {
      for (const word of isUnspaced ? neighbors(characters) : [cut(characters)]) {
        words.add(word);
        if (words.size === mostWords) return words;
      }
    }
  }
  return words;
}

/**
 * The words of a keyword query (D-SEARCH): up to eight, all of which must match, the last one also as a beginning of
 * three characters or more. In scripts without spaces one character alone finds every word with it. Empty when the
 * query has neither letter nor digit.
 */
export function queryWords(query: string): QueryWord[] {
  const wanted = new Map<string, QueryWord>();
  const all = [...runs(query)];
  for (const [at, { characters, isUnspaced }] of all.entries()) {
    const isLast = at === all.length - 1;
    for (const word of isUnspaced ? pairs(characters) : [plainWord(characters, isLast)]) {
      if (wanted.size === mostQueryWords) return [...wanted.values()];
      if (!wanted.has(word.text)) wanted.set(word.text, word);
    }
  }
  return [...wanted.values()];
}

/** Whether a word of a text matches the query's. */
export const matchesWord = (word: string, { text, isPrefix }: QueryWord): boolean =>
  isPrefix ? word.startsWith(text) : word === text;

interface Run {
  readonly characters: string;
  /** Of a script that sets no spaces; such runs hold nothing else. */
  readonly isUnspaced: boolean;
}

function* runs(text: string): Generator<Run> {
  for (const [letters] of folded(text).matchAll(lettersPattern)) {
    for (const [characters] of letters.matchAll(scriptPattern)) {
      yield { characters, isUnspaced: unspacedStart.test(characters) };
    }
  }
}

/** One form for everything that counts as the same; İ and ς fold like i and σ, wherever they are in a word. */
function folded(text: string): string {
  const composed = text.replace(marksPattern, "$1").normalize("NFKC").slice(0, mostFoldedCharacters);
  return composed.toLowerCase().replaceAll("i\u0307", "i").replaceAll("ς", "σ");
}

function cut(word: string): string {
  if (word.length <= mostWordCharacters) return word;
  return [...word.slice(0, 2 * mostWordCharacters)].slice(0, mostWordCharacters).join("");
}

function* neighbors(characters: string): Generator<string> {
  let former = "";
  for (const [character] of characters.matchAll(characterPattern)) {
    if (former !== "") yield former + character;
    former = character;
  }
  if (former !== "") yield former;
}

function pairs(characters: string): QueryWord[] {
  const all = [...neighbors(characters)];
  const isOne = all.length === 1;
  return (isOne ? all : all.slice(0, -1)).map((text) => ({ text, isPrefix: isOne }));
}

function plainWord(characters: string, isLast: boolean): QueryWord {
  const text = cut(characters);
  return { text, isPrefix: isLast && [...text].length >= shortestPrefix };
}
