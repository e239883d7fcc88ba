import { lazyFor } from "../../lazy.ts";
import { mailDate } from "../diff/mail/mail-header.ts";
import { parseHeaders } from "../format/headers.ts";
import { type Identity, parseIdentity } from "../format/identity.ts";
import type { ObjectId } from "../format/object-format.ts";
import type { History } from "../history/history.ts";
import { abbreviate, usualDigits } from "../history/short-id.ts";
import { branchPrefix, latin1RefName, tagPrefix } from "../refs/ref-name.ts";
import type { GitRefs } from "../repository.ts";

/**
 * A commit's parts in its own encoding, a character for each byte (latin1), because git puts in exactly those bytes.
 */
export interface FormattedCommit {
  readonly id: ObjectId;
  readonly tree: ObjectId;
  readonly parents: readonly ObjectId[];
  readonly author: Identity;
  readonly committer: Identity;
  readonly encoding: string;
  readonly message: string;
}

/** The most of a message, and of parents, that is shown. */
const mostMessageBytes = 2 ** 20;
const mostParents = 1_000;
/** The most that one format produces. */
const longestFilled = 2 ** 20;

/** Reads a commit for its formats. */
export function formattedCommit(id: ObjectId, data: Buffer): FormattedCommit {
  const { headers, message } = parseHeaders(data);
  const valuesOf = (name: string) => headers.flatMap((one) => (one.name === name ? [one.value] : []));
  const [tree = "", author = "", encoding = ""] = ["tree", "author", "encoding"].map(
    (name) => valuesOf(name)[0],
  );
  return {
    ...{ id, tree, encoding, parents: valuesOf("parent").slice(0, mostParents) },
    message: message.toString("latin1", 0, mostMessageBytes),
    author: parseIdentity(author),
    committer: parseIdentity(valuesOf("committer")[0] ?? author),
  };
}

/** The source of placeholders' values. */
export interface FormatContext {
  readonly history: History;
  readonly target: FormattedCommit;
  /** Refs that `%d` and `%D` may tell; none when absent. */
  readonly refs?: GitRefs | undefined;
}

type Filler = (context: FormatContext) => string;

/**
 * Fills a pretty-format of `git log` for one commit. Placeholders stay as they are when they depend on the day (`%ar`,
 * `%ah`) or on the reader (colors, notes, reflogs, verified signatures), and so do `%(…)`. Format and result are
 * latin1; undefined when the result exceeds 1 MiB.
 */
export function formatCommit(format: string, context: FormatContext): string | undefined {
  const filled = filledOf(context);
  let length = 0;
  const whole = format.replace(/%(?:x[0-9A-Fa-f]{2}|[ac][A-Za-z]|[A-Za-z%])/g, (placeholder) => {
    const code = placeholder.slice(1);
    if (length > longestFilled) return "";
    if (code.length === 3) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    const text = filled.get(code) ?? fillers[code]?.(context) ?? placeholder;
    filled.set(code, text);
    length += text.length;
    return text;
  });
  return length > longestFilled ? undefined : whole;
}

/**
 * The values of placeholders: a file may repeat one a million times, and each looks through all refs or the message.
 */
const filledOf = lazyFor((_context: FormatContext) => new Map<string, string>());

const shortId = (context: FormatContext, id: string): string =>
  abbreviate(context.history.packs, id, usualDigits(context.history.packs));

const fillers: Readonly<Record<string, Filler>> = {
  "%": () => "%",
  n: () => "\n",
  H: ({ target }) => target.id,
  h: (context) => shortId(context, context.target.id),
  T: ({ target }) => target.tree,
  t: (context) => shortId(context, context.target.tree),
  P: ({ target }) => target.parents.join(" "),
  p: (context) => context.target.parents.map((id) => shortId(context, id)).join(" "),
  d: (context) => wrapped(decorations(context)),
  D: (context) => decorations(context),
  e: ({ target }) => target.encoding,
  s: ({ target }) => subjectOf(target),
  f: ({ target }) => sanitized(firstLineOf(target)),
  b: ({ target }) => bodyOf(target),
  B: ({ target }) => target.message,
  ...identityFillers("a", ({ author }) => author),
  ...identityFillers("c", ({ committer }) => committer),
};

/** Mailmaps are not read: `N`, `E` and `L` say what `n`, `e` and `l` do. */
function identityFillers(letter: string, of: (commit: FormattedCommit) => Identity): Record<string, Filler> {
  const parts: Record<string, (who: Identity) => string> = {
    n: ({ name }) => name,
    e: ({ email }) => email,
    l: ({ email }) => email.split("@", 1)[0] ?? "",
    d: usualDate,
    D: mailDate,
    t: ({ seconds }) => String(seconds),
    i: (who) => `${dayOf(who)} ${timeOf(who)} ${who.timezone}`,
    I: (who) => `${dayOf(who)}T${timeOf(who)}${who.timezone.slice(0, 3)}:${who.timezone.slice(3)}`,
    s: dayOf,
  };
  const fillers = Object.entries(parts).map(([part, fill]) => [
    letter + part,
    ({ target }: FormatContext) => fill(of(target)),
  ]);
  const filled = Object.fromEntries(fillers) as Record<string, Filler>;
  for (const part of ["n", "e", "l"]) {
    filled[letter + part.toUpperCase()] = filled[letter + part] as Filler;
  }
  return filled;
}

/** `Fri, 7 Apr 2005 22:13:13 +0200`, in parts. */
const dateParts = (who: Identity): string[] => mailDate(who).split(/,? /);

function usualDate(who: Identity): string {
  const [day, date, month, year, time, zone] = dateParts(who);
  return `${day} ${month} ${date} ${time} ${year} ${zone}`;
}

const timeOf = (who: Identity): string => dateParts(who)[4] ?? "";
const months = "JanFebMarAprMayJunJulAugSepOctNovDec";

function dayOf(who: Identity): string {
  const [, date = "", month = "", year = ""] = dateParts(who);
  const number = String(months.indexOf(month) / 3 + 1).padStart(2, "0");
  return `${year.padStart(4, "0")}-${number}-${date.padStart(2, "0")}`;
}

/** Without the empty lines before the subject. */
const trimmed = ({ message }: FormattedCommit): string => message.replace(/^(?:[ \t\r]*\n)+/, "");

const firstLineOf = (commit: FormattedCommit): string => trimmed(commit).split("\n", 1)[0] ?? "";

/** The lines of the first paragraph, joined. */
function subjectOf(commit: FormattedCommit): string {
  const lines = trimmed(commit).split("\n");
  const end = lines.findIndex((line) => line.trim() === "");
  return lines
    .slice(0, end < 0 ? undefined : end)
    .map((line) => line.trimEnd())
    .join(" ");
}

function bodyOf(commit: FormattedCommit): string {
  const text = trimmed(commit);
  const gap = /\n(?:[ \t\r]*\n)+/.exec(text);
  return gap === null ? "" : text.slice(gap.index + gap[0].length);
}

/** A subject as a file's name: other characters become a hyphen, dots don't repeat. */
const sanitized = (subject: string): string =>
  subject
    .replace(/[^A-Za-z0-9._]+/g, "-")
    .replace(/\.{2,}/g, ".")
    .replace(/^-+/, "")
    .replace(/(?<![-.])[-.]+$/, "");

const wrapped = (names: string): string => (names === "" ? "" : ` (${names})`);

/** Names that lead to the commit: HEAD with its branch first, then tags, then other branches. */
function decorations({ target, refs: named }: FormatContext): string {
  if (named === undefined) return "";
  const { head, refs } = named;
  const names: string[] = [];
  if (refs.find(head)?.id === target.id) names.push(`HEAD -> ${shownName(head, branchPrefix)}`);
  const leading = refs.list("refs/").filter(({ id, peeled }) => (peeled ?? id) === target.id);
  for (const { name } of leading.filter((one) => one.name.startsWith(tagPrefix)).reverse()) {
    names.push(`tag: ${shownName(name, tagPrefix)}`);
  }
  for (const { name } of leading.filter((one) => one.name.startsWith(branchPrefix)).reverse()) {
    if (name !== head) names.push(shownName(name, branchPrefix));
  }
  return names.join(", ");
}

const shownName = (name: string, prefix: string): string => latin1RefName(name.slice(prefix.length));
