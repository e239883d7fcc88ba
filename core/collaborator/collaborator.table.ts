import type { AccessModeName } from "../access/modes.ts";
import { padded } from "../ids.ts";
import { userPartition } from "../owner/owner.table.ts";
import { repositoryPartition } from "../repository/repository.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/**
 * Rights of a user on one repository. With `memberOf` they got them for creating it as a member of that organization:
 * the rights count only while it owns the repository and the user is a member.
 */
export interface Collaborator extends Item {
  readonly userId: number;
  readonly mode: CollaboratorMode;
  readonly memberOf?: number;
  readonly _v: 1;
}

/** The same at the user's. */
export interface CollaboratorMirror extends Item {
  readonly repositoryId: number;
  readonly mode: CollaboratorMode;
  readonly memberOf?: number;
  readonly _v: 1;
}

/** How much a collaborator may do. */
export type CollaboratorMode = Extract<AccessModeName, "read" | "write" | "admin">;

export const collaboratorPrefix = "C#";
/** A repository's collaborators. */
export const collaboratorsOf = (repositoryId: number) => ({
  pk: repositoryPartition(repositoryId),
  prefix: collaboratorPrefix,
});
export const collaboratorKey = (repositoryId: number, userId: number): TableKey => ({
  pk: repositoryPartition(repositoryId),
  sk: `${collaboratorPrefix}${padded(userId)}`,
});
/** Repositories of others on which a user was given rights. */
export const collaboratorMirrorsOf = (userId: number) => ({ pk: userPartition(userId), prefix: "COLL#" });
export const collaboratorMirrorKey = (userId: number, repositoryId: number): TableKey => ({
  pk: userPartition(userId),
  sk: `COLL#${padded(repositoryId)}`,
});
