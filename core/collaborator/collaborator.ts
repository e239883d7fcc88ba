import { liveTeams } from "../access/grants.ts";
import { isRepositoryAdmin } from "../access/modes.ts";
import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { blockedRefusal, unblocked } from "../block/unblocked.ts";
import { defined } from "../defined.ts";
import { conflict, notFound, unprocessable } from "../errors.ts";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { departureJob } from "../jobs/departure.ts";
import { ownerKey } from "../owner/owner.table.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { forgetStarsAndWatchesIfHidden } from "../star-watch/star-watch.ts";
import { absent, type Condition, equals } from "../table/condition.ts";
import { check, keyText, put, remove, type Write } from "../table/write.ts";
import { type AccessList, accessListKey, type Membership, membershipKey } from "../team/team.table.ts";
import { findUserByName, findVisibleUser } from "../user/find.ts";
import type { User } from "../user/user.table.ts";
import {
  type Collaborator,
  type CollaboratorMirror,
  type CollaboratorMode,
  collaboratorKey,
  collaboratorMirrorKey,
  collaboratorsOf,
} from "./collaborator.table.ts";

type RepositoryIds = Pick<Repository, "id" | "ownerId">;

/** Collaborators of a repository, by their ids. */
export async function listCollaborators(forge: Forge, repository: RepositoryIds): Promise<Collaborator[]> {
  return counting(
    forge,
    repository,
    await forge.table.queryAll<Collaborator>(collaboratorsOf(repository.id)),
  );
}

/** The rights that a user was given on a repository, or undefined. */
export async function findCollaborator(
  forge: Forge,
  repository: RepositoryIds,
  userId: number,
): Promise<Collaborator | undefined> {
  const row = await forge.table.get<Collaborator>(collaboratorKey(repository.id, userId));
  return row === undefined ? undefined : (await counting(forge, repository, [row]))[0];
}

/** The rows that count. Rows for members of the organization count only for those who still are members. */
async function counting(
  { table }: Forge,
  { ownerId }: RepositoryIds,
  rows: Collaborator[],
): Promise<Collaborator[]> {
  const forMembers = rows.filter(({ memberOf }) => memberOf === ownerId);
  const found = await table.getAll([
    ...(forMembers.length === 0 ? [] : [accessListKey(ownerId)]),
    ...forMembers.map(({ userId }) => membershipKey(ownerId, userId)),
  ]);
  const access = found.get(keyText(accessListKey(ownerId))) as AccessList | undefined;
  const isMember = ({ userId }: Collaborator) => {
    const membership = found.get(keyText(membershipKey(ownerId, userId))) as Membership | undefined;
    return liveTeams(membership, access).length > 0;
  };
  return rows.filter((row) => row.memberOf === undefined || (row.memberOf === ownerId && isMember(row)));
}

/** The user of this name; 422 when the caller may know of none (semantics §3.6). */
export async function getCollaboratingUser(forge: Forge, actor: Actor, name: string): Promise<User> {
  const user = await findVisibleUser(forge, actor, name);
  if (user === undefined) throw noSuchUser(name);
  return user;
}

const noSuchUser = (name: string) => unprocessable(`user does not exist [name: ${name}]`);

/**
 * Gives the named user rights on a repository, `write` by default. A present collaborator keeps their rights unless one
 * of the known words is given. 422 for the owner, inactive accounts, and unknown names; 403 when owner and user block
 * each other.
 */
export async function addCollaborator(
  forge: Forge,
  actor: Actor,
  repository: RepositoryIds,
  name: string,
  permission = "",
): Promise<void> {
  const user = await getCollaboratingUser(forge, actor, name);
  if (user.id === repository.ownerId)
    throw unprocessable("the owner of a repository can't be its collaborator");
  if (!user.isActive) throw unprocessable(`the account is not active [name: ${name}]`);
  if (permission === "read" || permission === "write" || permission === "admin") {
    return setCollaborator(forge, repository, user.id, permission);
  }
  const row = await forge.table.get<Collaborator>(collaboratorKey(repository.id, user.id));
  const isCollaborator = row !== undefined && (await counting(forge, repository, [row])).length > 0;
  if (isCollaborator) return;
  const isAsRead = row === undefined ? absent : equals({ memberOf: row.memberOf });
  await setCollaborator(forge, repository, user.id, "write", isAsRead);
}

/**
 * Gives a user rights on a repository, replacing those they have as its collaborator. Does nothing when `when` does not
 * hold of their row. 403 when owner and user block each other; NotFound when the repository is gone or has another
 * owner, 409 when the account is gone.
 */
export async function setCollaborator(
  forge: Forge,
  { id, ownerId }: RepositoryIds,
  userId: number,
  mode: CollaboratorMode,
  when?: Condition,
): Promise<void> {
  const [row, mirror] = collaboratorRows(id, userId, mode);
  const outcome = await forge.table.transact([
    unblocked(ownerId, userId),
    unblocked(userId, ownerId),
    check(repositoryKey(id), equals({ ownerId, state: "live" })),
    check(ownerKey(userId), equals({ kind: "user" })),
    put(row, when),
    put(mirror),
  ]);
  if (outcome.committed) return;
  const [failed] = outcome.failed;
  if (failed === 0 || failed === 1) throw blockedRefusal();
  if (failed === 2) throw notFound("the repository is gone, or has another owner now");
  if (failed === 3) throw conflict("the account was deleted meanwhile");
}

/** The writes that make a user a collaborator, for a transaction. */
export const collaboratorWrites = (repositoryId: number, userId: number, mode: CollaboratorMode): Write[] =>
  collaboratorRows(repositoryId, userId, mode).map((row) => put(row));

/**
 * The writes that make an organization's member, who creates a repository in it, an administrator of that repository.
 */
export const creatorCollaborationWrites = ({ id, ownerId }: RepositoryIds, userId: number): Write[] =>
  collaboratorRows(id, userId, "admin", ownerId).map((row) => put(row));

function collaboratorRows(
  repositoryId: number,
  userId: number,
  mode: CollaboratorMode,
  memberOf?: number,
): [Collaborator, CollaboratorMirror] {
  const given = { mode, ...defined({ memberOf }), _v: 1 } as const;
  return [
    { ...collaboratorKey(repositoryId, userId), userId, ...given },
    { ...collaboratorMirrorKey(userId, repositoryId), repositoryId, ...given },
  ];
}

/**
 * Removes a user's rights as a collaborator; does nothing when they have none. A job removes them from issues that they
 * may not be assigned to any more. Administrators of the repository may name somebody that they may not know of
 * otherwise, and everybody may name themselves. 422 for unknown names.
 */
export async function removeCollaborator(
  forge: Forge,
  actor: Actor,
  { repository, rights }: RepositoryAccess,
  name: string,
): Promise<void> {
  const user = await findUserByName(forge, name);
  const row =
    user === undefined || !isRepositoryAdmin(rights)
      ? undefined
      : await findCollaborator(forge, repository, user.id);
  const { id: userId } =
    user !== undefined && row !== undefined ? user : await getCollaboratingUser(forge, actor, name);
  const { id: repositoryId, ownerId } = repository;
  const departure = departureJob(forge, { userId, ownerId, repositoryId });
  await forge.table.transact([...collaboratorRemovalWrites(repositoryId, userId), departure.write]);
  await Promise.all([
    forgetStarsAndWatchesIfHidden(forge, userId, repositoryId),
    send(forge, [departure.message]),
  ]);
}

/**
 * Like `removeCollaborator`, for any caller. The user's star and watch end with it when they may not see the repository
 * any more.
 */
export async function takeCollaborator(forge: Forge, repositoryId: number, userId: number): Promise<void> {
  await forge.table.transact(collaboratorRemovalWrites(repositoryId, userId));
  await forgetStarsAndWatchesIfHidden(forge, userId, repositoryId);
}

/** The same for a transaction. */
export const collaboratorRemovalWrites = (repositoryId: number, userId: number): Write[] => [
  remove(collaboratorKey(repositoryId, userId)),
  remove(collaboratorMirrorKey(userId, repositoryId)),
];
