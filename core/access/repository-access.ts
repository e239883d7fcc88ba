import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import { type NameGuard, nameGuardKey, ownerKey } from "../owner/owner.table.ts";
import {
  type Repository,
  type RepositoryNameGuard,
  repositoryKey,
  repositoryNameKey,
} from "../repository/repository.table.ts";
import { keyText } from "../table.ts";
import type { User } from "../user/user.table.ts";
import { hasAccess, type Rights } from "./modes.ts";
import { rightsOn } from "./rights.ts";

/** A repository with its owner and what the caller may do on it, all read strongly in this request. */
export interface RepositoryAccess {
  readonly repository: Repository;
  readonly owner: User;
  readonly rights: Rights;
}

/** Ids begin at 1: what is read under this one is never there. */
const nobody = 0;

/**
 * The repository of this owner and name, whatever their case; undefined when it is absent, being deleted, or hidden
 * from the caller. The three can't be told apart (D-HIDDEN), not by the time either: the same is read for all.
 */
export async function findAccess(
  forge: Forge,
  actor: Actor | undefined,
  ownerName: string,
  name: string,
): Promise<RepositoryAccess | undefined> {
  const { table } = forge;
  const ownerId = (await table.get<NameGuard>(nameGuardKey(ownerName)))?.ownerId ?? nobody;
  const keys = [ownerKey(ownerId), repositoryNameKey(ownerId, name)] as const;
  const found = await table.getAll(keys);
  const owner = found.get(keyText(keys[0])) as User | undefined;
  const guard = found.get(keyText(keys[1])) as RepositoryNameGuard | undefined;
  const repository = await table.get<Repository>(repositoryKey(guard?.repositoryId ?? nobody));
  return owner === undefined ? undefined : accessOn(actor, repository, owner);
}

/** As `findAccess`, by the repository's id; in one request less where the owner is known already. */
export async function findAccessById(
  forge: Forge,
  actor: Actor | undefined,
  repositoryId: number,
  likelyOwnerId?: number,
): Promise<RepositoryAccess | undefined> {
  const { table } = forge;
  const key = repositoryKey(repositoryId);
  const likely = likelyOwnerId === undefined ? [] : [ownerKey(likelyOwnerId)];
  const found = await table.getAll([key, ...likely]);
  const repository = found.get(keyText(key)) as Repository | undefined;
  const owner = ownerKey(repository?.ownerId ?? nobody);
  const loaded = (found.get(keyText(owner)) as User | undefined) ?? (await table.get<User>(owner));
  return loaded === undefined ? undefined : accessOn(actor, repository, loaded);
}

function accessOn(
  actor: Actor | undefined,
  repository: Repository | undefined,
  owner: User,
): RepositoryAccess | undefined {
  if (repository === undefined || repository.state !== "live") return undefined;
  const rights = rightsOn(actor, repository, owner);
  return hasAccess(rights) ? { repository, owner, rights } : undefined;
}
