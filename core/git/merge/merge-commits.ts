import type { ObjectId } from "../format/object-format.ts";
import type { History } from "../history/history.ts";
import { mergeBases } from "../history/merge-base.ts";
import { type MergedTree, mergeTrees } from "./merge-trees.ts";

/** Names of the sides in the marks of conflicts. */
export interface SideNames {
  readonly ours: string;
  readonly theirs: string;
}

/** The result of a merge. `base`: the tree of the merge base, or the merge of several bases. */
export type MergeOutcome =
  | (MergedTree & { readonly kind: "merged"; readonly base: ObjectId | undefined })
  | { readonly kind: "unrelated" };

const namesOfBases: SideNames = { ours: "Temporary merge branch 1", theirs: "Temporary merge branch 2" };
/** With more bases than this their merge says nothing. */
const mostBases = 16;

/**
 * Merges two commits: the tree, and conflicts as values. Several merge bases are merged with each other first.
 * `unrelated` when there is no common ancestor, unless that is allowed.
 */
export async function mergeCommits(
  history: History,
  ours: ObjectId,
  theirs: ObjectId,
  names: SideNames,
  options: { readonly allowUnrelated?: boolean } = {},
): Promise<MergeOutcome> {
  const bases = (await mergeBases(history, ours, theirs)).reverse();
  if (bases.length === 0 && options.allowUnrelated !== true) return { kind: "unrelated" };
  const base = await treeOfBases(history, bases.slice(0, mostBases), 1);
  const trees = { base, ours: await treeOf(history, ours), theirs: await treeOf(history, theirs) };
  const merged = await mergeTrees(history, trees, { ...names, depth: 0 });
  return { kind: "merged", base, ...merged };
}

const treeOf = async (history: History, id: ObjectId): Promise<ObjectId> => (await history.links(id)).tree;

/** The tree of some merged bases, in their order; its conflicts are marked in it. */
async function treeOfBases(
  history: History,
  bases: readonly ObjectId[],
  depth: number,
): Promise<ObjectId | undefined> {
  const [first, ...rest] = bases;
  if (first === undefined) return undefined;
  let tree = await treeOf(history, first);
  const merged = [first];
  for (const next of rest) {
    const common = (await mergeBases(history, next, ...merged)).reverse();
    const base = await treeOfBases(history, common, depth + 1);
    const trees = { base, ours: tree, theirs: await treeOf(history, next) };
    ({ tree } = await mergeTrees(history, trees, { ...namesOfBases, depth }));
    merged.push(next);
  }
  return tree;
}
