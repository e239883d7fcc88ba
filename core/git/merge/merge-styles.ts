import type { Identity } from "../format/identity.ts";
import type { ObjectId } from "../format/object-format.ts";
import type { History } from "../history/history.ts";
import { isAncestor } from "../history/merge-base.ts";
import type { Conflict } from "./conflict.ts";
import { mergeCommits, type SideNames } from "./merge-commits.ts";
import { rebase } from "./rebase.ts";
import { type Sign, writeCommit } from "./write-commit.ts";

/** The head and base of a merge, and the text of the new commit. */
export interface MergeRequest {
  readonly base: ObjectId;
  readonly head: ObjectId;
  /** Names of both for the marks of conflicts. */
  readonly names: SideNames;
  readonly author: Identity;
  readonly committer: Identity;
  readonly message: string;
  readonly sign?: Sign;
}

/**
 * The result of a merge: the base's new tip; `up-to-date` when the base has all of the head; `diverged` when only a
 * fast-forward was asked for; of a rebase, `commit` is the one that failed.
 */
export type StyledOutcome =
  | { readonly kind: "done"; readonly tip: ObjectId }
  | { readonly kind: "conflict"; readonly conflicts: readonly Conflict[]; readonly commit?: ObjectId }
  | { readonly kind: "unrelated" | "up-to-date" | "diverged" | "too-many" };

/** How a head can be merged. */
export type MergeStyle = "merge" | "squash" | "rebase" | "rebase-merge" | "fast-forward-only";

/** Merges in a style. Nothing is stored: the new objects are added to the history, for `packOfNew`. */
export async function mergeInStyle(
  history: History,
  style: MergeStyle,
  request: MergeRequest,
): Promise<StyledOutcome> {
  const { base, head } = request;
  if (await isAncestor(history, head, base)) return { kind: "up-to-date" };
  if (style === "fast-forward-only") {
    return (await isAncestor(history, base, head)) ? { kind: "done", tip: head } : { kind: "diverged" };
  }
  if (style === "rebase") return rebase(history, head, base, request);
  if (style === "rebase-merge") return rebaseAndMerge(history, request);
  const merged = await mergeCommits(history, base, head, request.names);
  if (merged.kind === "unrelated") return merged;
  if (merged.conflicts.length > 0) return { kind: "conflict", conflicts: merged.conflicts };
  const parents = style === "squash" ? [base] : [base, head];
  return { kind: "done", tip: await writeCommit(history, { ...request, tree: merged.tree, parents }) };
}

async function rebaseAndMerge(history: History, request: MergeRequest): Promise<StyledOutcome> {
  const rebased = await rebase(history, request.head, request.base, request);
  if (rebased.kind !== "done") return rebased;
  if (rebased.tip === request.base) return { kind: "up-to-date" };
  const { tree } = await history.links(rebased.tip);
  const parents = [request.base, rebased.tip];
  return { kind: "done", tip: await writeCommit(history, { ...request, tree, parents }) };
}
