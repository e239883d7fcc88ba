import { accessMode, modeOf } from "../access/modes.ts";
import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { findRelatedRepository } from "../repository/fork/related.ts";

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
