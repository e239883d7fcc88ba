import { defined } from "../../defined.ts";
import { commitMessage } from "../format/commit.ts";
import type { Identity } from "../format/identity.ts";
import type { ObjectId } from "../format/object-format.ts";
import type { History, IdentifiedCommit } from "../history/history.ts";
import type { Conflict } from "./conflict.ts";
import { mergeTrees } from "./merge-trees.ts";
import { type Sign, writeCommit } from "./write-commit.ts";

/** The result of repeating a commit's change elsewhere. `empty`: the change is there already. */
export type ReplayOutcome =
  | { readonly kind: "done"; readonly tip: ObjectId }
  | { readonly kind: "empty" }
  | { readonly kind: "conflict"; readonly commit: ObjectId; readonly conflicts: readonly Conflict[] }
  | { readonly kind: "needs-mainline"; readonly commit: ObjectId };

/** The committer, and the parent that a merge is compared with (from 1). */
export interface ReplayOptions {
  readonly committer: Identity;
  readonly mainline?: number;
  /** Also does commits again that changed nothing from the start. */
  readonly keepsEmpty?: boolean;
  readonly sign?: Sign;
}

const headName = "HEAD";

/** The commit's subject as conflicts and messages name it. */
const subjectOf = ({ commit }: IdentifiedCommit): string => {
  const [first = ""] = commitMessage(commit)
    .trimStart()
    .split(/\n[ \t]*\n/, 1);
  return first.trimEnd().split("\n").join(" ");
};

/** Repeats a commit's change on top of another commit; author, date and message stay. */
export async function cherryPick(
  history: History,
  commit: ObjectId,
  onto: ObjectId,
  options: ReplayOptions,
): Promise<ReplayOutcome> {
  const picked = await history.commit(commit);
  const parent = parentOf(picked, options.mainline);
  if (parent === "needs-mainline") return { kind: "needs-mainline", commit };
  const before = parent && (await history.links(parent)).tree;
  const tip = (await history.links(onto)).tree;
  const theirs = `${commit.slice(0, 7)} (${subjectOf(picked)})`;
  const trees = {
    base: before ?? history.add("tree", Buffer.alloc(0)),
    ours: tip,
    theirs: picked.commit.tree,
  };
  const { tree, conflicts } = await mergeTrees(history, trees, { ours: headName, theirs, depth: 0 });
  if (conflicts.length > 0) return { kind: "conflict", commit, conflicts };
  const wasEmpty = before === picked.commit.tree;
  if (tree === tip && !(wasEmpty && options.keepsEmpty === true)) return { kind: "empty" };
  const { author } = picked.commit;
  const { committer, sign } = options;
  const message = commitMessage(picked.commit);
  const written = { tree, parents: [onto], author, committer, message, ...defined({ sign }) };
  return { kind: "done", tip: await writeCommit(history, written) };
}

/** Undoes a commit's change on top of another commit. `message` replaces git's own, which names the commit. */
export async function revert(
  history: History,
  commit: ObjectId,
  onto: ObjectId,
  options: ReplayOptions & { readonly message?: string },
): Promise<ReplayOutcome> {
  const reverted = await history.commit(commit);
  const parent = parentOf(reverted, options.mainline);
  if (parent === "needs-mainline") return { kind: "needs-mainline", commit };
  const after =
    parent === undefined ? history.add("tree", Buffer.alloc(0)) : (await history.links(parent)).tree;
  const tip = (await history.links(onto)).tree;
  const subject = subjectOf(reverted);
  const theirs = `parent of ${commit.slice(0, 7)} (${subject})`;
  const trees = { base: reverted.commit.tree, ours: tip, theirs: after };
  const { tree, conflicts } = await mergeTrees(history, trees, { ours: headName, theirs, depth: 0 });
  if (conflicts.length > 0) return { kind: "conflict", commit, conflicts };
  if (tree === tip) return { kind: "empty" };
  const { committer, sign } = options;
  const message = options.message ?? revertMessage(reverted, subject, parent, options.mainline);
  const author = committer;
  const written = { tree, parents: [onto], author, committer, message, ...defined({ sign }) };
  return { kind: "done", tip: await writeCommit(history, written) };
}

function revertMessage(
  { id, commit }: IdentifiedCommit,
  subject: string,
  parent: ObjectId | undefined,
  mainline: number | undefined,
): string {
  const from =
    commit.parents.length > 1 && mainline !== undefined ? `, reversing\nchanges made to ${parent}` : "";
  return `Revert "${subject}"\n\nThis reverts commit ${id}${from}.\n`;
}

/** The parent that defines a commit's change; none for a first commit. For a merge the caller must choose it. */
function parentOf(
  { commit }: IdentifiedCommit,
  mainline: number | undefined,
): ObjectId | undefined | "needs-mainline" {
  if (commit.parents.length <= 1)
    return mainline === undefined || mainline === 1 ? commit.parents[0] : "needs-mainline";
  return commit.parents[(mainline ?? 0) - 1] ?? "needs-mainline";
}
