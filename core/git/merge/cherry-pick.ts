import { defined } from "../../defined.ts";
import { commitMessage } from "../format/commit.ts";
import type { Identity } from "../format/identity.ts";
import type { ObjectId } from "../format/object-format.ts";
import type { History, IdentifiedCommit } from "../history/history.ts";
import type { Conflict } from "./conflict.ts";
import { mergeTrees } from "./merge-trees.ts";
import { type Sign, writeCommit } from "./write-commit.ts";

/** The result of repeating a commit's change elsewhere. `empty`: the change is there already. */
export type CherryPickOutcome =
  | { readonly kind: "done"; readonly tip: ObjectId }
  | { readonly kind: "empty" }
  | { readonly kind: "conflict"; readonly commit: ObjectId; readonly conflicts: readonly Conflict[] };

export interface CherryPickOptions {
  readonly committer: Identity;
  /** Also does commits again that changed nothing from the start. */
  readonly keepsEmpty?: boolean;
  readonly sign?: Sign;
}

const headName = "HEAD";

/** The commit's subject as conflicts name it. */
const subjectOf = ({ commit }: IdentifiedCommit): string => {
  const [first = ""] = commitMessage(commit)
    .trimStart()
    .split(/\n[ \t]*\n/, 1);
  return first.trimEnd().split("\n").join(" ");
};

/** Repeats the change of a commit, which is no merge, on top of another commit; author, date and message stay. */
export async function cherryPick(
  history: History,
  commit: ObjectId,
  onto: ObjectId,
  options: CherryPickOptions,
): Promise<CherryPickOutcome> {
  const picked = await history.commit(commit);
  const [parent] = picked.commit.parents;
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
