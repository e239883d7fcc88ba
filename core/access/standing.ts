import type { Actor } from "../actor.ts";
import { type Collaborator, collaboratorKey } from "../collaborator/collaborator.table.ts";
import type { Repository } from "../repository/repository.table.ts";
import { check, equals, type Item, keyText, type TableKey, type Write } from "../table.ts";
import { type AccessList, accessListKey, type Membership, membershipKey } from "../team/team.table.ts";
import { type AccessMode, accessMode } from "./modes.ts";
import { type TeamRights, unpackTeams } from "./team-rights.ts";

/** What a caller was given on one repository and at its owner's, beyond what everybody has. */
export interface Standing {
  /** His teams in the organization that owns it, all of them; none where the owner is a user. */
  readonly teams: readonly TeamRights[];
  /** Rights as a collaborator of this repository. */
  readonly collaboration: AccessMode;
  /** He may know of the owner although that is a private user. */
  readonly isAcquainted: boolean;
}

/** The standing of somebody who was given nothing. */
export const noStanding: Standing = { teams: [], collaboration: accessMode.none, isAcquainted: false };

/** The caller has no need of a standing: nobody is given any, or he may do everything anyway. */
const needsNone = (actor: Actor | undefined): actor is undefined => actor === undefined || actor.user.isAdmin;

/** The items that say in which teams of an organization the caller is; none for whom it makes no difference. */
export const teamKeys = (actor: Actor | undefined, ownerId: number): TableKey[] =>
  needsNone(actor) || actor.user.id === ownerId
    ? []
    : [accessListKey(ownerId), membershipKey(ownerId, actor.user.id)];

/** The item that says what the caller is on a repository; none for whom it makes no difference. */
export const collaborationKeys = (
  actor: Actor | undefined,
  repositoryId: number,
  ownerId?: number,
): TableKey[] =>
  needsNone(actor) || actor.user.id === ownerId ? [] : [collaboratorKey(repositoryId, actor.user.id)];

/**
 * For a transaction that rests on what was read under these keys: it fails when one of the items was changed since. What
 * was not there can only give more.
 */
export const isAsRead = (standing: readonly Item[]): Write[] =>
  standing.map((item) => {
    const { pk, sk, v, mode, memberOf } = item as Item & Partial<Membership & Collaborator>;
    return check({ pk, sk }, equals({ v, mode, memberOf }));
  });

/** The caller's live teams in an organization, out of what was read under `teamKeys`. */
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

/** The teams that a membership names and that exist: ids of deleted ones stay for a while and count for nothing. */
export function liveTeams(
  membership: Pick<Membership, "teamIds"> | undefined,
  list: AccessList | undefined,
): TeamRights[] {
  if (membership === undefined) return [];
  return unpackTeams(list?.teams).filter(({ id }) => membership.teamIds.includes(id));
}

/** The caller's rights as a collaborator, out of what was read under `collaborationKeys`. */
export function collaborationFrom(
  actor: Actor | undefined,
  { id, ownerId }: Pick<Repository, "id" | "ownerId">,
  teams: readonly TeamRights[],
  found: ReadonlyMap<string, Item>,
): AccessMode {
  if (actor === undefined) return accessMode.none;
  const row = found.get(keyText(collaboratorKey(id, actor.user.id))) as Collaborator | undefined;
  return row !== undefined && counts(row, ownerId, teams) ? accessMode[row.mode] : accessMode.none;
}

/** Whether a collaboration counts: one for members of an organization does while it owns and he is one. */
export const counts = (
  { memberOf }: Pick<Collaborator, "memberOf">,
  ownerId: number,
  teams: readonly TeamRights[],
): boolean => memberOf === undefined || (memberOf === ownerId && teams.length > 0);
