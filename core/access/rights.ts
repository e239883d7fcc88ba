import type { Actor } from "../actor.ts";
import type { Repository } from "../repository/repository.table.ts";
import type { User } from "../user/user.table.ts";
import { type AccessMode, accessMode, type Rights } from "./modes.ts";
import { maySeeUser } from "./visibility.ts";

/**
 * What the caller may do on a repository (semantics §3.3), from items that were read strongly for this request.
 * The numbers are the steps of that section; collaborators and teams join at step 5.
 */
export function rightsOn(actor: Actor | undefined, repository: Repository, owner: User): Rights {
  const enabledUnits = new Set(repository.units);
  return { base: baseMode(actor, repository, owner), enabledUnits };
}

function baseMode(
  actor: Actor | undefined,
  repository: Pick<Repository, "isPrivate">,
  owner: User,
): AccessMode {
  if (actor === undefined && repository.isPrivate) return accessMode.none; // 1
  if (!maySeeUser(actor, owner)) return accessMode.none; // 2
  if (actor === undefined) return accessMode.read; // 3
  if (actor.user.isAdmin || actor.user.id === owner.id) return accessMode.owner; // 4
  return !repository.isPrivate && !actor.user.isRestricted ? accessMode.read : accessMode.none; // 5
}

/**
 * Whether a repository of `owner` belongs into the caller's lists. A token that is limited to what is public gets no
 * private ones there; asked for one by name it is refused instead.
 */
export function mayList(
  actor: Actor | undefined,
  repository: Pick<Repository, "isPrivate">,
  owner: User,
): boolean {
  if (repository.isPrivate && actor?.grant?.isPublicOnly === true) return false;
  return baseMode(actor, repository, owner) >= accessMode.read;
}
