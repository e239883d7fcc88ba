import { notFound, tooLarge } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { diffTrees } from "../git/diff/tree-diff.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import { logIds } from "../git/history/log.ts";
import { mergeBases } from "../git/history/merge-base.ts";
import { diffLimits } from "./commit-details.ts";
import { type Code, findCommit } from "./open.ts";
import { diffText, patchText } from "./patches.ts";
import { withObjectsOf } from "./related-objects.ts";

/** The commits that one side has and the other lacks, newest first, and their number. */
export interface Comparison {
  readonly ids: readonly ObjectId[];
  readonly total: number;
}

/** Two refs to compare. */
export interface CompareRange {
  readonly base: string | undefined;
  readonly head: string | undefined;
}

/** More would not fit one answer. */
const mostCommits = 1_000;

/** `a...b`, `a..b`, or one name, which is compared with the default branch (semantics §39.2). */
export function parseRange(text: string): CompareRange {
  const [separator] = ["...", ".."].filter((one) => text.includes(one));
  if (separator === undefined) return { base: undefined, head: text === "" ? undefined : text };
  const at = text.indexOf(separator);
  const [base, head] = [text.slice(0, at), text.slice(at + separator.length)];
  return { base: base === "" ? undefined : base, head: head === "" ? undefined : head };
}

/** Two commits, and a code that has the objects of both. */
export interface ComparedCommits {
  readonly code: Code;
  readonly base: ObjectId;
  readonly head: ObjectId;
}

/**
 * The commits of a range: the base in one code, the head in the same code or a related repository's. NotFound when one
 * of them is missing.
 */
export async function findRange(
  forge: Forge,
  code: Code,
  { base, head }: CompareRange,
  headCode: Code = code,
): Promise<ComparedCommits> {
  const [from, to] = [await findCommit(code, base), await findCommit(headCode, head)];
  if (from === undefined) throw notFound(`there is no such base [ref: ${base ?? "HEAD"}]`);
  if (to === undefined) throw notFound(`there is no such head [ref: ${head ?? "HEAD"}]`);
  const both = headCode === code ? code : await withObjectsOf(forge, code, headCode);
  return { code: both, base: from.id, head: to.id };
}

/** The commits of head that base does not lead to. */
export async function compareCommits({ code, base, head }: ComparedCommits): Promise<Comparison> {
  const request = { tips: [head], not: [base], limit: mostCommits, countAll: true };
  const { ids, total = ids.length } = await logIds(code.history, request);
  return { ids, total };
}

/** The changes of head since it left base, as in `git diff base...head`. TooLarge beyond 24 MiB and 3,000 files. */
export async function diffBetween({ code, base, head }: ComparedCommits): Promise<Buffer> {
  const { history } = code;
  const [common] = await mergeBases(history, head, base);
  const before = common === undefined ? undefined : (await history.links(common)).tree;
  return diffText(code, await diffTrees(history, before, (await history.links(head)).tree, diffLimits));
}

/**
 * The commits of head that base lacks, as mails in the form of `git format-patch`, oldest first. TooLarge as above, and
 * beyond 1,000 commits.
 */
export async function patchesBetween(compared: ComparedCommits): Promise<Buffer> {
  const { ids, total } = await compareCommits(compared);
  if (total > ids.length) throw tooLarge(`there are more than ${mostCommits} commits: fetch them with git`);
  return patchText(compared.code, ids.toReversed());
}
