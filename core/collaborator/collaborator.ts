import type { Actor } from "../actor.ts";
import { unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { Repository } from "../repository/repository.table.ts";
import { put, remove as removal, type Write } from "../table.ts";
import type { User } from "../user/user.table.ts";
import * as users from "../user/user.ts";
import {
  type Collaborator,
  type CollaboratorMirror,
  type CollaboratorMode,
  collaboratorKey,
  collaboratorMirrorKey,
  collaboratorsOf,
} from "./collaborator.table.ts";

/** Collaborators of a repository, by their ids. */
export const list = (forge: Forge, repositoryId: number): Promise<Collaborator[]> =>
  forge.table.queryAll<Collaborator>(collaboratorsOf(repositoryId));

/** What a user was given on a repository, or undefined. */
export const find = (forge: Forge, repositoryId: number, userId: number): Promise<Collaborator | undefined> =>
  forge.table.get<Collaborator>(collaboratorKey(repositoryId, userId));

/** The user of this name; 422 when there is none that the caller may know of (semantics §3.6). */
export async function getUser(forge: Forge, actor: Actor, name: string): Promise<User> {
  const user = await users.findVisible(forge, actor, name);
  if (user === undefined) throw unprocessable(`user does not exist [name: ${name}]`);
  return user;
}

/**
 * Gives the named user rights on a repository, `write` unless said otherwise. Who is a collaborator already keeps his
 * rights unless one of the known words is given. 422 for the owner, inactive accounts, and names of no user.
 */
export async function add(
  forge: Forge,
  actor: Actor,
  { id, ownerId }: Pick<Repository, "id" | "ownerId">,
  name: string,
  permission = "",
): Promise<void> {
  const user = await getUser(forge, actor, name);
  if (user.id === ownerId) throw unprocessable("the owner of a repository can't be its collaborator");
  if (!user.isActive) throw unprocessable(`the account is not active [name: ${name}]`);
  const isKnown = permission === "read" || permission === "write" || permission === "admin";
  const current = isKnown ? undefined : await find(forge, id, user.id);
  if (current === undefined) await set(forge, id, user.id, isKnown ? permission : "write");
}

/** Gives a user rights on a repository, in place of those that he had as its collaborator. */
export async function set(
  forge: Forge,
  repositoryId: number,
  userId: number,
  mode: CollaboratorMode,
): Promise<void> {
  await forge.table.transact(collaboratorWrites(repositoryId, userId, mode));
}

/** What makes a user a collaborator, for a transaction. */
export function collaboratorWrites(repositoryId: number, userId: number, mode: CollaboratorMode): Write[] {
  const row: Collaborator = { ...collaboratorKey(repositoryId, userId), userId, mode, _v: 1 };
  const mirror: CollaboratorMirror = {
    ...collaboratorMirrorKey(userId, repositoryId),
    repositoryId,
    mode,
    _v: 1,
  };
  return [put(row), put(mirror)];
}

/** Takes the rights away that a user has as a collaborator; nothing happens when he has none. */
export async function remove(forge: Forge, repositoryId: number, userId: number): Promise<void> {
  await forge.table.transact(removalWrites(repositoryId, userId));
}

/** The same for a transaction. */
export const removalWrites = (repositoryId: number, userId: number): Write[] => [
  removal(collaboratorKey(repositoryId, userId)),
  removal(collaboratorMirrorKey(userId, repositoryId)),
];
