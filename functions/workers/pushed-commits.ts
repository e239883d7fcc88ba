import type { ObjectId } from "#core/git/format/object-format";
import { History, type IdentifiedCommit } from "#core/git/history/history";
import { logPage } from "#core/git/history/log";
import type { PackSet } from "#core/git/pack/pack-set";
import type { LoggedChange } from "#core/git/refs/ref-log";
import { branchPrefix, tagPrefix } from "#core/git/refs/ref-name";

/** A ref of a push: its kind, and its name without the kind's prefix. */
export interface PushedRef extends LoggedChange {
  readonly type: "branch" | "tag";
  readonly shortName: string;
}

/** A change of a ref, if it is a branch or a tag. */
export function pushedRef(change: LoggedChange): PushedRef[] {
  const { name } = change;
  if (name.startsWith(branchPrefix))
    return [{ ...change, type: "branch", shortName: name.slice(branchPrefix.length) }];
  return name.startsWith(tagPrefix)
    ? [{ ...change, type: "tag", shortName: name.slice(tagPrefix.length) }]
    : [];
}

/** How many commits are listed, and how many a new branch counts (semantics §27.5). */
export const listedCommits = 5;
const newBranchCommits = 10;

/** Commits that a push brought to a branch, newest first; `total` counts unlisted ones, too. */
export interface ComingCommits {
  readonly listed: readonly IdentifiedCommit[];
  readonly total: number;
}

/** Of a new branch the newest commits; else those that its former commit, which may be gone by now, does not lead to. */
export async function commitsOf(
  packs: PackSet,
  ref: Pick<PushedRef, "type" | "old" | "new">,
): Promise<ComingCommits> {
  if (ref.type === "tag" || ref.new === undefined) return { listed: [], total: 0 };
  const history = new History(packs, { allowsCuts: true });
  const tips: ObjectId[] = [ref.new];
  if (ref.old === undefined) {
    const { commits } = await logPage(history, { tips, limit: newBranchCommits });
    return { listed: commits, total: commits.length };
  }
  const not = history.has(ref.old) ? [ref.old] : [];
  const { commits, total = 0 } = await logPage(history, { tips, not, limit: listedCommits, countAll: true });
  return { listed: commits, total };
}
