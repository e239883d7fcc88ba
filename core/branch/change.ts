import type { Actor } from "../actor.ts";
import { listBranchProtections } from "../branch-protection/branch-protection.ts";
import { ruleFinder } from "../branch-protection/rule-for.ts";
import { changeRefs } from "../code/land.ts";
import { type Code, findCommit, isCodeEmpty } from "../code/open.ts";
import { conflict, forbidden, invalid, notFound, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { isObjectId, type ObjectId } from "../git/format/object-format.ts";
import { tipsContaining } from "../git/history/tips-containing.ts";
import { checkFolders } from "../git/refs/check-changes.ts";
import { branchPrefix, tagPrefix } from "../git/refs/ref-name.ts";
import { MatchTime } from "../pattern/match-time.ts";
import type { Repository } from "../repository/repository.table.ts";
import { branchNameProblem } from "./name.ts";

/** A branch to make, and its start: a branch, tag or commit, or a branch alone; absent: the default branch. */
export interface NewBranch {
  readonly name: string;
  readonly fromRef?: string;
  readonly fromBranch?: string;
}

/** Makes a branch. 404 for an unknown source or an empty repository; 409 when the name is taken, or blocks another. */
export async function createBranch(
  forge: Forge,
  repository: Repository,
  actor: Actor,
  given: NewBranch,
): Promise<void> {
  const problem = branchNameProblem(given.name, "NewBranchName");
  if (problem !== undefined) throw problem;
  const name = branchPrefix + given.name;
  await changeRefs(forge, repository, actor, async (code) => {
    const from = await findSource(code, given);
    const { refs } = code.repository;
    if (refs.find(name) !== undefined) throw conflict(`a branch exists already [name: ${given.name}]`);
    if (refs.find(tagPrefix + given.name) !== undefined) {
      throw conflict(`a tag has that name [name: ${given.name}]`);
    }
    const clash = clashOf(code, name, from);
    if (clash !== undefined) throw conflict(clash);
    return { changes: [{ name, new: from }], result: undefined };
  });
}

async function findSource(code: Code, { fromRef, fromBranch }: NewBranch): Promise<ObjectId> {
  if (isCodeEmpty(code)) throw notFound("the repository is empty: push a commit first");
  if (fromRef) {
    const found = await findCommit(code, fromRef);
    if (found === undefined) throw notFound(`there is no such branch, tag or commit [ref: ${fromRef}]`);
    return found.id;
  }
  return branchEntry(code, fromBranch || code.repository.head.slice(branchPrefix.length)).id;
}

function branchEntry({ repository }: Code, name: string) {
  const entry = repository.refs.find(branchPrefix + name);
  if (entry === undefined) throw notFound(`branch does not exist [name: ${name}]`);
  return entry;
}

/** Why a new ref can't exist beside the others. */
const clashOf = ({ repository }: Code, name: string, id: ObjectId): string | undefined =>
  checkFolders(repository.refs, [{ name, entry: { name, id, pusherId: 0, updatedMs: 0 } }]).get(name);

/**
 * Deletes a branch. 404 when unknown; 403 for the default branch and for protected ones; 409 when it is to be deleted
 * only at a commit where it is not.
 */
export async function removeBranch(
  forge: Forge,
  repository: Repository,
  actor: Actor,
  name: string,
  only?: ObjectId,
): Promise<void> {
  await changeRefs(forge, repository, actor, async (code) => {
    const { id } = branchEntry(code, name);
    if (only !== undefined && only !== id) throw conflict(`the branch is at ${id} now`);
    if (code.repository.head === branchPrefix + name) {
      throw forbidden("the default branch can't be deleted; make another branch the default first");
    }
    return { changes: [{ name: branchPrefix + name, old: id }], result: undefined };
  });
}

/** A branch's new name, and whether the actor administers the repository, which renaming the default branch needs. */
export interface BranchRenaming {
  readonly name: string;
  readonly to: string;
  readonly isByAdministrator: boolean;
}

/** In the family's words, which its clients compare. */
const renamedToTaken =
  "Cannot rename a branch using the same name or rename to a branch that already exists.";

/** Renames a branch; the default branch stays the default (semantics §40). */
export async function renameBranch(
  forge: Forge,
  repository: Repository,
  actor: Actor,
  { name, to, isByAdministrator }: BranchRenaming,
): Promise<void> {
  const problem = branchNameProblem(to, "Name");
  if (problem !== undefined) throw problem;
  const full = { from: branchPrefix + name, to: branchPrefix + to };
  await changeRefs(forge, repository, actor, async (code) => {
    const entry = code.repository.refs.find(full.from);
    if (entry === undefined) throw notFound("Branch doesn't exist.");
    const { id } = entry;
    const isDefault = code.repository.head === full.from;
    const ruleOf = ruleFinder(await listBranchProtections(forge, repository.id), new MatchTime());
    const isGuarded = isDefault || (await ruleOf(name)) !== undefined;
    if (isGuarded && !isByAdministrator) {
      throw forbidden(
        "only administrators of the repository may rename its default branch and protected ones",
      );
    }
    if (code.repository.refs.find(full.to) !== undefined) {
      throw unprocessable(renamedToTaken);
    }
    const changes = [
      { name: full.from, old: id },
      { name: full.to, new: id },
    ];
    return { changes, rename: full, result: undefined };
  });
}

/** The commit that a branch is to point at, the one it must point at now, and whether commits may be left behind. */
export interface BranchMove {
  readonly name: string;
  readonly to: string;
  readonly from?: string;
  readonly isForced: boolean;
}

/**
 * Points a branch at another commit of the repository. 422 for an unknown commit, for one that is not a fast-forward,
 * and when the branch moved.
 */
export async function moveBranch(
  forge: Forge,
  repository: Repository,
  actor: Actor,
  { name, to, from, isForced }: BranchMove,
): Promise<void> {
  await changeRefs(forge, repository, actor, async (code) => {
    const { id } = branchEntry(code, name);
    if (from !== undefined && from !== id) throw invalid("OldCommitId", `the branch is at ${id} now`);
    const found = isObjectId(code.history.format, to) ? await findCommit(code, to) : undefined;
    if (found === undefined) throw invalid("NewCommitId", "there is no such commit; a whole id is expected");
    const leads = isForced || (await tipsContaining(code.history, id, [to])).has(to);
    if (!leads) throw invalid("NewCommitId", "not a fast-forward; with force commits are left behind");
    return { changes: [{ name: branchPrefix + name, old: id, new: to }], result: undefined };
  });
}
