import { accessMode, modeOf } from "../../access/modes.ts";
import { isHiddenFromToken } from "../../access/public-only.ts";
import { findAccessById, type RepositoryAccess } from "../../access/repository-access.ts";
import type { Actor } from "../../actor.ts";
import { notFound } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { branchPrefix } from "../../git/refs/ref-name.ts";
import { readSnapshot } from "../../git/store/refs/snapshot.ts";
import { findRelatedRepository } from "../../repository/fork/related.ts";
import type { PullRequest } from "../pull.table.ts";

/** A branch that a caller named beside a repository, as far as its text says: it may be missing. */
export interface NamedBranch {
  readonly access: RepositoryAccess;
  readonly branch: string;
}

/**
 * The branch that `branch`, `owner:branch` or `owner/name:branch` stands for beside a repository: its own, or one of its
 * fork or parent (semantics §21). NotFound when there is no such repository, or the caller may not read its code.
 */
export async function findNamedBranch(
  forge: Forge,
  actor: Actor | undefined,
  access: RepositoryAccess,
  text: string,
): Promise<NamedBranch> {
  const colon = text.indexOf(":");
  if (colon < 0) return { access: requireReadable(access), branch: text };
  const related = await findRelatedRepository(forge, actor, access, text.slice(0, colon));
  if (related === undefined) throw notFound(`there is no such head [head: ${text}]`);
  return { access: requireReadable(related), branch: text.slice(colon + 1) };
}

function requireReadable(access: RepositoryAccess): RepositoryAccess {
  if (modeOf(access.rights, "code") < accessMode.read) throw notFound("the code of the head is not for you");
  return access;
}

/**
 * The repository in which a request's head commit is to be looked at: that of its head branch, or the base's when the
 * branch is gone or not for the caller.
 */
export async function findHeadPlace(
  forge: Forge,
  actor: Actor | undefined,
  base: RepositoryAccess,
  { repositoryId, pull: { headRepositoryId, head } }: PullRequest,
): Promise<RepositoryAccess> {
  if (headRepositoryId === repositoryId) return base;
  const found = await findAccessById(forge, actor, headRepositoryId);
  if (found === undefined || isHiddenFromToken(actor, found)) return base;
  if (modeOf(found.rights, "code") < accessMode.read) return base;
  const snapshot = await readSnapshot(forge.table, headRepositoryId);
  return snapshot?.refs.find(branchPrefix + head) === undefined ? base : found;
}
