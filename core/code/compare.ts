import { notFound } from "../errors.ts";
import type { IdentifiedCommit } from "../git/walk/history.ts";
import { logPage } from "../git/walk/log.ts";
import { type Code, findCommit } from "./open.ts";

/** Commits that one side has and the other lacks, newest first, and how many there are. */
export interface Comparison {
  readonly commits: readonly IdentifiedCommit[];
  readonly total: number;
}

/** Two refs to compare. */
export interface CompareRange {
  readonly base: string | undefined;
  readonly head: string | undefined;
}

/** More would not fit one answer. */
const mostCommits = 1_000;

/** `a...b`, `a..b`, or one name, which the default branch is compared with (semantics §39.2). */
export function parseRange(text: string): CompareRange {
  const [separator] = ["...", ".."].filter((one) => text.includes(one));
  if (separator === undefined) return { base: undefined, head: text === "" ? undefined : text };
  const at = text.indexOf(separator);
  const [base, head] = [text.slice(0, at), text.slice(at + separator.length)];
  return { base: base === "" ? undefined : base, head: head === "" ? undefined : head };
}

/** The commits of head that base does not lead to. NotFound when one of them is not there. */
export async function compare(code: Code, { base, head }: CompareRange): Promise<Comparison> {
  const [from, to] = [await findCommit(code, base), await findCommit(code, head)];
  if (from === undefined) throw notFound(`there is no such base [ref: ${base ?? "HEAD"}]`);
  if (to === undefined) throw notFound(`there is no such head [ref: ${head ?? "HEAD"}]`);
  const request = { tips: [to.id], not: [from.id], limit: mostCommits, countAll: true };
  const { commits, total = commits.length } = await logPage(code.history, request);
  return { commits, total };
}
