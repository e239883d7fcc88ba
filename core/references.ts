/** What a text says of the issue or pull that it names: "fixes #1" closes it. */
export type ReferenceAction = "none" | "closes" | "reopens";

/** An issue or pull that a text names, and where it does: characters from `start` to before `end`. */
export interface IssueReference {
  readonly start: number;
  readonly end: number;
  /** As written; absent for the repository that the text belongs to. */
  readonly owner?: string;
  readonly repository?: string;
  readonly number: number;
  readonly action: ReferenceAction;
}

/** A user, or `organization/team`, that a text names. */
export interface Mention {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** Which words before a reference change the state of what it names; the address under which issues are known. */
export interface ReferenceWords {
  readonly rootUrl: string;
  readonly closeKeywords: readonly string[];
  readonly reopenKeywords: readonly string[];
}

// Semantics §20.1. Every pattern begins at what only few places have, so that none is slow on a hostile text.
const before = String.raw`(?<=^|[\s(\[{'"*_~|>])`;
const after = String.raw`(?=$|[\s)\]}'"*_~|<]|[:;,.?!](?:$|[\s)\]}'"*_~|<]))`;
const name = "[A-Za-z0-9_.-]{1,100}";
const short = new RegExp(String.raw`${before}(?:(${name})/(${name}))?[#!](\d{1,12})${after}`, "gm");
const mention = new RegExp(
  `${before}@([A-Za-z0-9](?:[._-]?[A-Za-z0-9])*(?:/[A-Za-z0-9](?:[._-]?[A-Za-z0-9])*)?)(?![A-Za-z0-9@/])`,
  "gm",
);
const longestName = 100;
const longestKeyword = 40;

/** The issues and pulls that a text names, in the order in which it does, `#12`, `owner/repo#12` and addresses alike. */
export function findIssueReferences(text: string, words: ReferenceWords): IssueReference[] {
  const root = words.rootUrl.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const address = new RegExp(
    String.raw`${before}${root}/(${name})/(${name})/(?:issues|pulls)/(\d{1,12})(?:[?#][A-Za-z0-9_=&-]*)?${after}`,
    "gm",
  );
  return [...text.matchAll(short), ...text.matchAll(address)]
    .map(({ index, 0: whole, 1: owner, 2: repository, 3: number }) => ({
      start: index,
      end: index + whole.length,
      number: Number(number),
      ...(owner === undefined || repository === undefined ? {} : { owner, repository }),
      action: actionBefore(text, index, words),
    }))
    .filter((reference) => reference.number > 0)
    .sort((one, other) => one.start - other.start);
}

/** The users and teams that a text names. */
export const findMentions = (text: string): Mention[] =>
  [...text.matchAll(mention)]
    .map(({ index, 0: whole, 1: named = "" }) => ({ start: index, end: index + whole.length, name: named }))
    .filter((one) => one.name.length <= longestName);

/** What the word directly before a reference makes of it. */
function actionBefore(text: string, start: number, words: ReferenceWords): ReferenceAction {
  const lead = text.slice(Math.max(0, start - longestKeyword), start);
  const word = /(?:^|[^\p{L}\p{N}_-])([\p{L}-]+):?[ \t]$/u.exec(lead)?.[1]?.toLowerCase();
  if (word === undefined) return "none";
  if (words.closeKeywords.includes(word)) return "closes";
  return words.reopenKeywords.includes(word) ? "reopens" : "none";
}
