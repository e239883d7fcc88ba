import type { KeptItems } from "../lifecycle/check/checks.ts";
import type { Item } from "../table/write.ts";
import { wordsOf } from "../word-index/words.ts";
import type { TimelineEntry } from "./comment.table.ts";

/** The kind of an entry of a timeline. */
export const entryKind = "I#<repository>.<number> / C#<comment>";

/** An entry with the words of its text in place of its body; none where it is no comment. */
export type CheckedEntry = TimelineEntry & { readonly words?: ReadonlySet<string> };

/** What is kept of an entry: bodies of comments are let go as soon as their words are known. */
export function checkedEntry(item: Item): CheckedEntry {
  const entry = item as TimelineEntry;
  return entry.type === "comment" ? { ...entry, body: "", words: wordsOf(entry.body) } : entry;
}

/** Entries of all timelines of a repository, for checks that read their kind. */
export const entriesIn = (facts: KeptItems): readonly CheckedEntry[] => facts.all(entryKind);

/** How many comments each issue has, by number. */
export function commentCountsIn(facts: KeptItems): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { type, issueNumber } of entriesIn(facts)) {
    if (type === "comment") counts.set(issueNumber, (counts.get(issueNumber) ?? 0) + 1);
  }
  return counts;
}
