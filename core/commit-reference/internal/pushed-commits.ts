import type { Forge } from "../../forge.ts";
import { commitMessage } from "../../git/format/commit.ts";
import type { ObjectId } from "../../git/format/object-format.ts";
import { History } from "../../git/history/history.ts";
import { logIds } from "../../git/history/log.ts";
import type { PackSet } from "../../git/pack/pack-set.ts";
import type { LoggedChange } from "../../git/refs/ref-log.ts";
import { openRepository } from "../../git/store/store.ts";

/**
 * The most commits of a new branch that are looked at, as in the family: mostly the others were pushed elsewhere
 * before.
 */
const ofNewBranch = 10;
/** The most commits of one push, and branches, newest first: an import brings more, and their issues are not these. */
const mostCommits = 1_000;
const mostBranches = 100;
/** The part of a message that is looked at. */
const mostCharacters = 65_536;

/** A commit that was pushed, and the branches that it came to. */
export interface PushedCommit {
  readonly id: ObjectId;
  readonly message: string;
  readonly branches: ReadonlySet<string>;
}

interface MovedBranch {
  readonly name: string;
  readonly old: ObjectId | undefined;
  readonly new: ObjectId;
}

const branchPrefix = "refs/heads/";

/** The commits that a push brought to branches, by its changes in the log; oldest first, each once. */
export async function listPushedCommits(
  forge: Forge,
  repositoryId: number,
  changes: readonly LoggedChange[],
): Promise<PushedCommit[]> {
  const moved = changes.flatMap(({ name, old, new: id }): MovedBranch[] =>
    id === undefined || !name.startsWith(branchPrefix)
      ? []
      : [{ name: name.slice(branchPrefix.length), old, new: id }],
  );
  if (moved.length === 0) return [];
  const opened = await openRepository(forge, repositoryId);
  const packs = await opened?.packs();
  if (packs === undefined) return [];
  const found = new Map<ObjectId, PushedCommit & { readonly branches: Set<string> }>();
  for (const branch of moved.slice(0, mostBranches)) {
    const limit = mostCommits - found.size;
    if (limit > 0) await addCommits(found, packs, branch, limit);
  }
  if (found.size >= mostCommits || moved.length > mostBranches) {
    forge.log.warn("push:references-cut", { repositoryId, branches: moved.length, commits: found.size });
  }
  return [...found.values()];
}

async function addCommits(
  found: Map<ObjectId, PushedCommit & { readonly branches: Set<string> }>,
  packs: PackSet,
  branch: MovedBranch,
  most: number,
): Promise<void> {
  const history = new History(packs, { allowsCuts: true });
  const isNew = branch.old === undefined;
  const not = branch.old !== undefined && history.has(branch.old) ? [branch.old] : [];
  const limit = isNew ? Math.min(most, ofNewBranch) : most;
  const { ids } = await logIds(history, { tips: [branch.new], not, limit });
  for (const id of ids.toReversed()) {
    const { commit } = await history.commit(id);
    const message = found.get(id)?.message ?? commitMessage(commit).slice(0, mostCharacters);
    const branches = found.get(id)?.branches ?? new Set<string>();
    found.set(id, { id, message, branches: branches.add(branch.name) });
  }
}
