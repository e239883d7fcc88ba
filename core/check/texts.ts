import { type Comment, commentPlace } from "../comment/comment.table.ts";
import { type Issue, issuePlace } from "../issue/issue.table.ts";
import type { TableKey } from "../table/write.ts";
import { type TextPlace, textName } from "../word-index/word-index.table.ts";
import { wordsOf } from "../word-index/words.ts";

/** A text whose words are found. */
export interface Text {
  readonly place: TextPlace;
  readonly name: string;
  readonly words: ReadonlySet<string>;
  /** The item that holds it, and its version. */
  readonly holder: TableKey;
  readonly v: number;
}

const named = (
  place: TextPlace,
  { pk, sk, v }: TableKey & { readonly v: number },
  texts: string[],
): Text => ({
  place,
  name: textName(place),
  words: wordsOf(...texts),
  holder: { pk, sk },
  v,
});

/** The text of an issue, or of a comment. */
export const textOf = {
  issue: (issue: Issue): Text => named(issuePlace(issue), issue, [issue.title, issue.body]),
  comment: (comment: Comment): Text => named(commentPlace(comment), comment, [comment.body]),
};
