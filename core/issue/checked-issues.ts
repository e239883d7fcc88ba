import type { KeptItems } from "../lifecycle/check/checks.ts";
import type { Item, TableKey } from "../table/write.ts";
import { wordsOf } from "../word-index/words.ts";
import type { Issue } from "./issue.table.ts";

/** The kind of an issue's item. */
export const issueKind = "I#<repository>.<number> / #";

/** An issue with the words of its text in place of its body. */
export type CheckedIssue = Issue & { readonly words: ReadonlySet<string> };

/** What is kept of an issue's item: bodies are let go as soon as their words are known. */
export function checkedIssue(item: Item): CheckedIssue {
  const issue = item as Issue;
  return { ...issue, body: "", words: wordsOf(issue.title, issue.body) };
}

/** Issues and pulls of a repository by number, for checks that read their kind. */
export const issuesIn = (facts: KeptItems): Map<number, CheckedIssue> =>
  new Map(facts.all<CheckedIssue>(issueKind).map((issue) => [issue.number, issue]));

/** Where an item of an issue lies: `I#<repository>.<number>`. */
export function addressIn({ pk }: TableKey): { repositoryId: number; number: number } {
  const [repositoryId = 0, number = 0] = pk.slice("I#".length).split(".").map(Number);
  return { repositoryId, number };
}
