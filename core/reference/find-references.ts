/** What a text asks of the issue or pull that it names: "fixes #1" closes it. */
export type ReferenceAction = "none" | "closes" | "reopens";

/** An issue or pull that a text names, and its place: characters from `start` to before `end`. */
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

/** The words before a reference that change the state of its issue, and the address under which issues are known. */
export interface ReferenceWords {
  readonly rootUrl: string;
  readonly closeKeywords: readonly string[];
  readonly reopenKeywords: readonly string[];
}

// Semantics §20.1. Every pattern begins with characters that few places have, so that none is slow on a hostile text.
const before = String.raw`(?<=^|[\s(\[{'"*_~|<>])`;
const after = String.raw`(?=$|[\s)\]}'"*_~|<>]|[:;,.?!](?:$|[\s)\]}'"*_~|<>]))`;
const name = "[A-Za-z0-9_.-]{1,100}";
const short = new RegExp(String.raw`${before}(?:(${name})/(${name}))?[#!](\d{1,12})${after}`, "gm");
const mention = new RegExp(
  `${before}@([A-Za-z0-9](?:[._-]?[A-Za-z0-9])*(?:/[A-Za-z0-9](?:[._-]?[A-Za-z0-9])*)?)(?![A-Za-z0-9@/])`,
  "gm",
);
const longestName = 100;
const longestKeyword = 40;

/** Addresses of issues and pulls of this instance. */
function addressUnder(rootUrl: string): RegExp {
  const root = rootUrl.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(
    String.raw`${before}${root}/(${name})/(${name})/(?:issues|pulls)/(\d{1,12})(?:[?#][A-Za-z0-9_=&-]*)?${after}`,
    "gm",
  );
}

/** The issues and pulls that a text names, in order, `#12`, `owner/repo#12` and addresses alike. */
export function findIssueReferences(text: string, words: ReferenceWords): IssueReference[] {
  return [...text.matchAll(short), ...text.matchAll(addressUnder(words.rootUrl))]
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

/** Whether a text may name an issue or pull: at once when the first one is at the beginning. */
export const hasReferences = (text: string, rootUrl: string): boolean =>
  hasMatch(text, short) || hasMatch(text, addressUnder(rootUrl));
/** Whether a text may name a user or team. */
export const hasMentions = (text: string): boolean => hasMatch(text, mention);

const hasMatch = (text: string, pattern: RegExp): boolean => text.matchAll(pattern).next().done === false;

/** The users and teams that a text names. */
export const findMentions = (text: string): Mention[] =>
  [...text.matchAll(mention)]
    .map(({ index, 0: whole, 1: named = "" }) => ({ start: index, end: index + whole.length, name: named }))
    .filter((one) => one.name.length <= longestName);

/** The most names that one text mentions; further ones are left out. */
const mostNames = 50;

/** The names of the users and teams that a text mentions, each once, in small letters. */
export const mentionedNames = (text: string): string[] =>
  [...new Set(findMentions(text).map(({ name }) => name.toLowerCase()))].slice(0, mostNames);

/** The action of the word directly before a reference. */
function actionBefore(text: string, start: number, words: ReferenceWords): ReferenceAction {
  const lead = text.slice(Math.max(0, start - longestKeyword), start);
  const word = /(?:^|[^\p{L}\p{N}_-])([\p{L}-]+):?[ \t]$/u.exec(lead)?.[1]?.toLowerCase();
  if (word === undefined) return "none";
  if (words.closeKeywords.includes(word)) return "closes";
  return words.reopenKeywords.includes(word) ? "reopens" : "none";
}

const blank = (text: string): string => text.replace(/[^\n]/g, " ");
const fence = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*(`{3,}|~{3,})/;
const listItem = /^[\s>]*(?:[-*+]|\d{1,9}[.)])\s/;

/**
 * A Markdown text with its code and HTML comments blanked: nothing in them is a reference. Everything else keeps its
 * place.
 */
export function withoutCode(markdown: string): string {
  return withoutSpans(withoutComments(withoutBlocks(markdown)));
}

/** Without the text between fences, and without lines that are indented as code. */
function withoutBlocks(markdown: string): string {
  let open: string | undefined;
  let isAfterBlank = true;
  let isInList = false;
  const lines = markdown.split("\n").map((line) => {
    const mark = fence.exec(line)?.[1];
    if (open !== undefined) {
      const isEnd = mark?.startsWith(open) === true && line.trimEnd().endsWith(mark);
      if (isEnd) open = undefined;
      return blank(line);
    }
    if (mark !== undefined) {
      open = mark;
      return blank(line);
    }
    const isIndented = /^(?: {4}|\t)/.test(line);
    const isCode = isIndented && isAfterBlank && !isInList;
    if (line.trim() === "") isAfterBlank = true;
    else if (!isCode) isAfterBlank = false;
    if (line.trim() !== "" && !isIndented) isInList = listItem.test(line);
    return isCode ? blank(line) : line;
  });
  return lines.join("\n");
}

function withoutComments(text: string): string {
  const parts: string[] = [];
  let at = 0;
  for (let start = text.indexOf("<!--"); start >= 0; start = text.indexOf("<!--", at)) {
    const end = text.indexOf("-->", start + "<!--".length);
    if (end < 0) break;
    parts.push(text.slice(at, start), blank(text.slice(start, end + "-->".length)));
    at = end + "-->".length;
  }
  return parts.join("") + text.slice(at);
}

/** Without the text between two runs of equally many backticks in one paragraph. */
const withoutSpans = (text: string): string =>
  text
    .split(/(\n[ \t]*\n)/)
    .map((paragraph) => withoutSpansOf(paragraph))
    .join("");

function withoutSpansOf(paragraph: string): string {
  const runs = [...paragraph.matchAll(/`+/g)];
  const closing = new Map<number, number>();
  const nextOfLength = new Map<number, number>();
  for (let place = runs.length - 1; place >= 0; place -= 1) {
    const length = runs[place]?.[0].length ?? 0;
    const next = nextOfLength.get(length);
    if (next !== undefined) closing.set(place, next);
    nextOfLength.set(length, place);
  }
  const parts: string[] = [];
  let at = 0;
  for (let place = 0; place < runs.length; place += 1) {
    const close = closing.get(place);
    const [start, end] = [runs[place], close === undefined ? undefined : runs[close]];
    if (close === undefined || start === undefined || end === undefined) continue;
    const endsAt = end.index + end[0].length;
    parts.push(paragraph.slice(at, start.index), blank(paragraph.slice(start.index, endsAt)));
    at = endsAt;
    place = close;
  }
  return parts.join("") + paragraph.slice(at);
}
