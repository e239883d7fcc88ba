import { type Code, openCode } from "../code/open.ts";
import { withObjectsOf } from "../code/related-objects.ts";
import { notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import type { HistoryReader } from "../git/history/history.ts";
import { mergeBases } from "../git/history/merge-base.ts";
import { branchPrefix } from "../git/refs/ref-name.ts";
import type { BranchPair } from "./pull.table.ts";

/** The tips of two branches, and a code that has the objects of both. */
export interface PullSides {
  readonly code: Code;
  readonly baseId: ObjectId;
  readonly headId: ObjectId;
  /** Their newest common commit; the base's tip when there is none. */
  readonly mergeBase: ObjectId;
}

/**
 * Opens both branches of a request into `repositoryId`. NotFound when one is missing, or when the two repositories have
 * different object formats.
 */
export async function openPullSides(
  forge: Forge,
  repositoryId: number,
  { base, headRepositoryId, head }: BranchPair,
  signal?: AbortSignal,
): Promise<PullSides> {
  const own = await openCode(forge, repositoryId, signal);
  const baseId = own.repository.refs.find(branchPrefix + base)?.id;
  if (baseId === undefined) throw notFound(`the base branch does not exist [base: ${base}]`);
  const isOwn = headRepositoryId === repositoryId;
  const other = isOwn ? own : await openCode(forge, headRepositoryId, signal);
  const headId = other.repository.refs.find(branchPrefix + head)?.id;
  if (headId === undefined) throw notFound(`the head branch does not exist [head: ${head}]`);
  const code = isOwn ? own : await withObjectsOf(forge, own, other, signal);
  return { code, baseId, headId, mergeBase: await newestCommon(code, baseId, headId) };
}

/** The newest common commit of two; the first one when there is none. */
export async function newestCommon(
  { history }: { readonly history: HistoryReader },
  base: ObjectId,
  head: ObjectId,
): Promise<ObjectId> {
  const [common = base] = await mergeBases(history, head, base);
  return common;
}
