import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { equals } from "../table/condition.ts";
import { check, put, remove, type Write } from "../table/write.ts";
import {
  type Posting,
  placeOf,
  postingKey,
  splitWords,
  type TextPlace,
  type WaitingWords,
  waitingKey,
  waitingPartition,
  waitingPrefix,
  waitingText,
} from "./word-index.table.ts";

/** A transaction takes 100: the postings, and the waiting item that they depend on. */
const postingsAtOnce = 99;
const textsPerQuery = 100;

/**
 * Posts the waiting words of one text, as long as they still wait in this version. Each transaction depends on the
 * waiting item, so neither a concurrent edit nor a rival nor a crash can make a posting outlive its word; the last one
 * removes it. Answers false when it was overtaken: by an edit, which keeps waiting, or by a rival who had finished.
 */
export async function compactWords(forge: Forge, place: TextPlace, waiting: WaitingWords): Promise<boolean> {
  const key = waitingKey(place);
  const isCurrent = equals({ v: waiting.v });
  const changes = [
    ...splitWords(waiting.added).map((word) => put(posting(place, word))),
    ...splitWords(waiting.removed).map((word) => remove(postingKey(place, word))),
  ];
  for (let at = 0; at === 0 || at < changes.length; at += postingsAtOnce) {
    const isLast = at + postingsAtOnce >= changes.length;
    const hold: Write = isLast ? remove(key, isCurrent) : check(key, isCurrent);
    const outcome = await forge.table.transact([hold, ...changes.slice(at, at + postingsAtOnce)]);
    if (!outcome.committed) return false;
  }
  return true;
}

const posting = (place: TextPlace, word: string): Posting => ({ ...postingKey(place, word), _v: 1 });

/** Posts the waiting words of one text, if there are any. May be repeated. */
export async function compactText(forge: Forge, place: TextPlace): Promise<void> {
  const waiting = await forge.table.get<WaitingWords>(waitingKey(place));
  if (waiting !== undefined) await compactWords(forge, place, waiting);
}

/**
 * Posts the waiting words of a repository, for at most so many texts; answers whether more were left. May be repeated.
 */
export async function compactRepository(
  forge: Forge,
  repositoryId: number,
  mostTexts: number,
): Promise<boolean> {
  let after: string | undefined;
  for (let texts = 0; texts < mostTexts; texts += textsPerQuery) {
    const page = await forge.table.query<WaitingWords>({
      pk: waitingPartition(repositoryId),
      prefix: waitingPrefix,
      limit: textsPerQuery,
      ...defined({ after }),
    });
    for (const waiting of page.items) {
      await compactWords(forge, placeOf(repositoryId, waitingText(waiting)), waiting);
    }
    after = page.next;
    if (after === undefined) return false;
  }
  return true;
}
