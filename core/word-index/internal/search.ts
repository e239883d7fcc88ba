import { defined } from "../../defined.ts";
import type { Forge } from "../../forge.ts";
import type { Query } from "../../table.ts";
import {
  partsOfPosting,
  placeOf,
  postingPrefix,
  postingsPartition,
  splitWords,
  type WaitingWords,
  waitingPartition,
  waitingPrefix,
  waitingText,
} from "../word-index.table.ts";
import { matchesWord, type QueryWord } from "../words.ts";

/** Numbers of issues; `isExact` is false when some of the needed items could not be read. */
export interface FoundIssues {
  readonly numbers: ReadonlySet<number>;
  readonly isExact: boolean;
  /** How many texts wait for their words to be posted: a search pays for reading them. */
  readonly waiting: number;
}

/** The most read of one word, and of the waiting words: 4 MB, in requests of 1 MB. */
const mostRequests = 4;

/**
 * The issues and pulls that have each word somewhere in title, body or comments, with every acknowledged edit. Waiting
 * words are read before posted ones: a posting in between shows a word twice, never not at all. A word with more than 4
 * MB of postings is skipped when there is another one, else its newest 4 MB are read.
 */
export async function findIssues(
  forge: Forge,
  repositoryId: number,
  words: readonly QueryWord[],
): Promise<FoundIssues> {
  const { items, isWhole } = await readNewest<WaitingWords>(forge, {
    pk: waitingPartition(repositoryId),
    prefix: waitingPrefix,
  });
  const waiting = items.map(waitingOf);
  const found = await Promise.all(words.map((word) => findNumbers(forge, repositoryId, word, waiting)));
  const whole = found.filter((one) => one.isWhole);
  const used = whole.length > 0 ? whole : found;
  const [first = new Set<number>(), ...others] = used
    .map((one) => one.numbers)
    .sort((one, other) => one.size - other.size);
  const numbers = [...first].filter((number) => others.every((other) => other.has(number)));
  const isExact = isWhole && whole.length === found.length;
  return { numbers: new Set(numbers), isExact, waiting: items.length };
}

/** The waiting words of one text. */
interface WaitingText {
  readonly text: string;
  readonly added: readonly string[];
  readonly removed: ReadonlySet<string>;
}

const waitingOf = (item: WaitingWords): WaitingText => ({
  text: waitingText(item),
  added: splitWords(item.added),
  removed: new Set(splitWords(item.removed)),
});

interface WordNumbers {
  readonly numbers: Set<number>;
  readonly isWhole: boolean;
}

async function findNumbers(
  forge: Forge,
  repositoryId: number,
  word: QueryWord,
  waiting: readonly WaitingText[],
): Promise<WordNumbers> {
  const prefix = word.isPrefix ? word.text : postingPrefix(word.text);
  const { items, isWhole } = await readNewest(forge, { pk: postingsPartition(repositoryId), prefix });
  const removed = new Map(waiting.map((one) => [one.text, one.removed]));
  const numbers = new Set<number>();
  const numberIn = (text: string) => placeOf(repositoryId, text).number;
  for (const item of items) {
    const posted = partsOfPosting(item);
    if (removed.get(posted.text)?.has(posted.word) !== true) numbers.add(numberIn(posted.text));
  }
  for (const { text, added } of waiting) {
    if (added.some((one) => matchesWord(one, word))) numbers.add(numberIn(text));
  }
  return { numbers, isWhole };
}

/** A run of items from its end, at most so much of it. */
async function readNewest<T extends { pk: string; sk: string }>(forge: Forge, run: Query) {
  const items: T[] = [];
  let after: string | undefined;
  for (let requests = 0; requests < mostRequests; requests += 1) {
    const page = await forge.table.query({
      ...run,
      reverse: true,
      ...defined({ after }),
    });
    items.push(...(page.items as unknown as T[]));
    after = page.next;
    if (after === undefined) return { items, isWhole: true };
  }
  return { items, isWhole: false };
}
