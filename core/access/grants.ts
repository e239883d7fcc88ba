import type { Actor } from "../actor.ts";
import { type Collaborator, collaboratorKey } from "../collaborator/collaborator.table.ts";
import type { Repository } from "../repository/repository.table.ts";
import { equals } from "../table/condition.ts";
import { check, type Item, keyText, type TableKey, type Write } from "../table/write.ts";
import { type AccessList, accessListKey, type Membership, membershipKey } from "../team/team.table.ts";
import { type AccessMode, accessMode } from "./modes.ts";
import { type TeamRights, unpackTeams } from "./team-rights.ts";

/** The grants of a caller on one repository and at its owner: what they have beyond everybody else. */
export interface Grants {
  /** The caller's teams in the organization that owns it, all of them; none when the owner is a user. */
  readonly teams: readonly TeamRights[];
  /** Rights as a collaborator of this repository. */
  readonly collaboration: AccessMode;
  /** Whether the caller may know of the owner although that is a private user. */
  readonly isAcquainted: boolean;
}

/** The grants of somebody who was given nothing. */
export const noGrants: Grants = { teams: [], collaboration: accessMode.none, isAcquainted: false };

/** Whether the caller needs no grants: nobody has given them any, or they may do everything anyway. */
const needsNone = (actor: Actor | undefined): actor is undefined => actor === undefined || actor.user.isAdmin;

/**
 * The items that say in which teams of an organization the caller is; none when they make no difference for the caller.
 */
export const teamKeys = (actor: Actor | undefined, ownerId: number): TableKey[] =>
  needsNone(actor) || actor.user.id === ownerId
    ? []
    : [accessListKey(ownerId), membershipKey(ownerId, actor.user.id)];

/**
 * The item that says which rights the caller has as a collaborator; none when it makes no difference for the caller.
 */
export const collaborationKeys = (
  actor: Actor | undefined,
  repositoryId: number,
  ownerId?: number,
): TableKey[] =>
  needsNone(actor) || actor.user.id === ownerId ? [] : [collaboratorKey(repositoryId, actor.user.id)];

/**
 * For a transaction that rests on items read under these keys: it fails when one of them has changed. An item that was
 * missing can only give more.
 */
export const grantChecks = (grants: readonly Item[]): Write[] =>
  grants.map((item) => {
    const { pk, sk, v, mode, memberOf } = item as Item & Partial<Membership & Collaborator>;
    return check({ pk, sk }, equals({ v, mode, memberOf }));
  });

/** The caller's existing teams in an organization, from the items under `teamKeys`. */
export function teamsFrom(
  actor: Actor | undefined,
  ownerId: number,
  found: ReadonlyMap<string, Item>,
): TeamRights[] {
  if (actor === undefined) return [];
  const membership = found.get(keyText(membershipKey(ownerId, actor.user.id))) as Membership | undefined;
  const list = found.get(keyText(accessListKey(ownerId))) as AccessList | undefined;
  return liveTeams(membership, list);
}

/** The teams of a membership that exist. Ids of deleted teams stay for a while and count for nothing. */
export function liveTeams(
  membership: Pick<Membership, "teamIds"> | undefined,
  list: AccessList | undefined,
): TeamRights[] {
  if (membership === undefined) return [];
  return unpackTeams(list?.teams).filter(({ id }) => membership.teamIds.includes(id));
}

/** The caller's rights as a collaborator, from the items under `collaborationKeys`. */
export function collaborationFrom(
  actor: Actor | undefined,
  { id, ownerId }: Pick<Repository, "id" | "ownerId">,
  teams: readonly TeamRights[],
  found: ReadonlyMap<string, Item>,
): AccessMode {
  if (actor === undefined) return accessMode.none;
  const row = found.get(keyText(collaboratorKey(id, actor.user.id))) as Collaborator | undefined;
  return row !== undefined && collaborationCounts(row, ownerId, teams)
    ? accessMode[row.mode]
    : accessMode.none;
}

/**
 * Whether a collaboration counts. One given to a member of an organization counts only while that organization owns the
 * repository and the user is a member.
 */
export const collaborationCounts = (
  { memberOf }: Pick<Collaborator, "memberOf">,
  ownerId: number,
  teams: readonly TeamRights[],
): boolean => memberOf === undefined || (memberOf === ownerId && teams.length > 0);
