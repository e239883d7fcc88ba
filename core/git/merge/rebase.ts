import type { Identity } from "../format/identity.ts";
import type { ObjectId } from "../format/object-format.ts";
import type { History } from "../history/history.ts";
import { RevisionWalk, type WalkedCommit } from "../history/revision-walk.ts";
import { cherryPick } from "./cherry-pick.ts";
import type { Conflict } from "./conflict.ts";
import type { Sign } from "./write-commit.ts";

/** The result of a rebase: the new tip, or the commit that could not be repeated. */
export type RebaseOutcome =
  | { readonly kind: "done"; readonly tip: ObjectId }
  | { readonly kind: "conflict"; readonly commit: ObjectId; readonly conflicts: readonly Conflict[] }
  | { readonly kind: "too-many" };

/** A request must end. */
const mostCommits = 5_000;

/**
 * Repeats the commits of `head` that `onto` lacks on top of it, oldest first, without merges, like `git rebase`:
 * commits that stand on the new tip already stay, and changes that are there already are left out.
 */
export async function rebase(
  history: History,
  head: ObjectId,
  onto: ObjectId,
  options: { readonly committer: Identity; readonly sign?: Sign },
): Promise<RebaseOutcome> {
  const commits = await commitsToReplay(history, head, onto);
  if (commits === undefined) return { kind: "too-many" };
  let tip = onto;
  for (const { id, links } of commits) {
    if (links.parents.length > 1) continue;
    if (links.parents[0] === tip) {
      tip = id;
      continue;
    }
    const outcome = await cherryPick(history, id, tip, { ...options, keepsEmpty: true });
    if (outcome.kind === "conflict") return outcome;
    if (outcome.kind === "done") tip = outcome.tip;
  }
  return { kind: "done", tip };
}

/** Oldest first, lines of commits not mixed; undefined beyond 5,000. */
async function commitsToReplay(
  history: History,
  head: ObjectId,
  onto: ObjectId,
): Promise<WalkedCommit[] | undefined> {
  const walk = new RevisionWalk(history, { tips: [head], not: [onto] });
  const found = new Map<ObjectId, WalkedCommit>();
  for (let next = await walk.next(); next !== undefined; next = await walk.next()) {
    if (found.size >= mostCommits) return undefined;
    found.set(next.id, next);
  }
  return childrenFirst(found).reverse();
}

/** Git's topological order: a commit after all its children, the line of the last parent first. */
function childrenFirst(commits: ReadonlyMap<ObjectId, WalkedCommit>): WalkedCommit[] {
  const children = new Map<ObjectId, number>();
  for (const { links } of commits.values()) {
    for (const parent of links.parents) children.set(parent, (children.get(parent) ?? 0) + 1);
  }
  const stack = [...commits.values()].filter(({ id }) => !children.has(id)).reverse();
  const ordered: WalkedCommit[] = [];
  for (let commit = stack.pop(); commit !== undefined; commit = stack.pop()) {
    ordered.push(commit);
    for (const id of commit.links.parents) {
      const left = (children.get(id) ?? 0) - 1;
      children.set(id, left);
      const parent = commits.get(id);
      if (left === 0 && parent !== undefined) stack.push(parent);
    }
  }
  return ordered;
}
