import type { Forge } from "../forge.ts";
import { absent, any, equals } from "../table/condition.ts";
import { put, type Write } from "../table/write.ts";
import { compactWords } from "./compaction.ts";
import { splitWords, type TextPlace, type WaitingWords, waitingKey } from "./word-index.table.ts";
import { wordsOf } from "./words.ts";

/** With more words than this to remove the writer posts first: no item may grow without end. */
const mostRemoved = 1_024;

/** Words by what an edit does to them. */
interface WordChanges {
  readonly added: ReadonlySet<string>;
  readonly removed: ReadonlySet<string>;
}

/** The texts of one place before and after an edit, and the edit version after it. */
export interface TextChange {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly v: number;
}

/** For the transaction that creates a text, so that it is found right after; nothing when it has no words. */
export function newWords(place: TextPlace, texts: readonly string[], v: number): Write[] {
  const added = wordsOf(...texts);
  return added.size === 0 ? [] : [put(waitingItem(place, { added, removed: new Set() }, v))];
}

/**
 * For the transaction that changes or removes (`after` is empty) a text, whose condition on the text's version guards
 * `before`. Nothing when the words stay the same. The write has a condition of its own: a text and its waiting words
 * are two items, and may be read at two moments.
 */
export async function changedWords(forge: Forge, place: TextPlace, change: TextChange): Promise<Write[]> {
  const [before, after] = [wordsOf(...change.before), wordsOf(...change.after)];
  const isSame = before.size === after.size && [...before].every((word) => after.has(word));
  if (isSame) return [];
  let waiting = await forge.table.get<WaitingWords>(waitingKey(place));
  if (waiting !== undefined && splitWords(waiting.removed).length > mostRemoved) {
    await compactWords(forge, place, waiting);
    waiting = undefined;
  }
  const changes = merged(before, after, {
    added: new Set(splitWords(waiting?.added ?? "")),
    removed: new Set(splitWords(waiting?.removed ?? "")),
  });
  const isAsRead = waiting === undefined ? absent : any(absent, equals({ v: waiting.v }));
  return [put(waitingItem(place, changes, change.v), isAsRead)];
}

/** The repair that a check found for a text, and the condition that the text is still as it was found. */
export interface WordRepair {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly v: number;
  /** The waiting words that were found. */
  readonly waiting: WaitingWords | undefined;
  readonly guard: Write;
}

/** Corrects the postings of a text; does nothing when somebody changed the text or its waiting words meanwhile. */
export async function mendWords(forge: Forge, place: TextPlace, repair: WordRepair): Promise<boolean> {
  const { added, removed, v, waiting, guard } = repair;
  const item = waitingItem(place, { added: new Set(added), removed: new Set(removed) }, v);
  const isAsRead = waiting === undefined ? absent : equals({ v: waiting.v });
  const { committed } = await forge.table.transact([put(item, isAsRead), guard]);
  if (committed) await compactWords(forge, place, item);
  return committed;
}

/**
 * The waiting words after an edit. Posting of the former ones may be in progress, and may have done any part: each of
 * these words is recorded anew, as added or as removed. (A word that waited to be added was in the text before.)
 */
function merged(before: ReadonlySet<string>, after: ReadonlySet<string>, waiting: WordChanges): WordChanges {
  const isUncertain = (word: string) => waiting.added.has(word) || waiting.removed.has(word);
  const added = [...after].filter((word) => !before.has(word) || isUncertain(word));
  const removed = [...waiting.removed, ...before].filter((word) => !after.has(word));
  return { added: new Set(added), removed: new Set(removed) };
}

function waitingItem(place: TextPlace, { added, removed }: WordChanges, v: number): WaitingWords {
  return {
    ...waitingKey(place),
    added: [...added].join(" "),
    removed: [...removed].join(" "),
    v,
    _v: 1,
  };
}
