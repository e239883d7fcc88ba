import type { Actor } from "../actor.ts";
import { type CollaboratorMirror, collaboratorMirrorsOf } from "../collaborator/collaborator.table.ts";
import type { Forge } from "../forge.ts";
import { ownerKey } from "../owner/owner.table.ts";
import { keyText } from "../table/write.ts";
import {
  type AccessList,
  type Membership,
  type MembershipMirror,
  membershipKey,
  membershipMirrorsOf,
} from "../team/team.table.ts";
import type { User } from "../user/user.table.ts";
import { findAccessLists } from "./access-lists.ts";
import { isKnown } from "./acquaintance.ts";
import { codeUnit, offeredUnits } from "./enabled-units.ts";
import { collaborationCounts, type Grants, liveTeams } from "./grants.ts";
import { type AccessMode, accessMode, bitsOfUnits, unitNames } from "./modes.ts";
import type { TeamRights } from "./team-rights.ts";

/**
 * Everything that a user was given on what others own: their teams by organization, their collaborations by repository.
 */
export interface VisibleRepositories {
  readonly teams: ReadonlyMap<number, readonly VisibleTeam[]>;
  readonly collaborations: ReadonlyMap<number, CollaboratorMirror>;
  /** The units that the installation offers, as bits (`bitsOfUnits`). */
  readonly offeredUnits: number;
}

/** The grants of one team to its members. */
export interface VisibleTeam extends TeamRights {
  /** The units that the team lets its members read, of those that the installation offers, as bits (`bitsOfUnits`). */
  readonly readableUnits: number;
}

/** The facts about a repository that a list knows without reading it. */
export interface VisibleRepository {
  readonly id: number;
  readonly ownerId: number;
  /** The units in the repository's item, as bits (`bitsOfUnits`). The installation may not offer all of them. */
  readonly units: number;
  hasTeam(teamId: number): boolean;
}

/** The grants of those who need none. No team binds them, so nothing depends on units for them. */
export const noVisibleRepositories: VisibleRepositories = {
  teams: new Map(),
  collaborations: new Map(),
  offeredUnits: 0,
};

/** The grants of a user, read strongly: two queries, and the access lists of their organizations. */
export async function findVisibleRepositories(forge: Forge, userId: number): Promise<VisibleRepositories> {
  const { table, config } = forge;
  const offered = offeredUnits(config);
  const [mirrors, collaborations] = await Promise.all([
    table.queryAll<MembershipMirror>(membershipMirrorsOf(userId)),
    table.queryAll<CollaboratorMirror>(collaboratorMirrorsOf(userId)),
  ]);
  const lists = await findAccessLists(
    forge,
    mirrors.map(({ organizationId }) => organizationId),
  );
  const teams = mirrors.map(
    (mirror) =>
      [mirror.organizationId, visibleTeams(mirror, lists.get(mirror.organizationId), offered)] as const,
  );
  return {
    teams: new Map(teams.filter(([, live]) => live.length > 0)),
    collaborations: new Map(collaborations.map((mirror) => [mirror.repositoryId, mirror])),
    offeredUnits: offered,
  };
}

const visibleTeams = (
  mirror: MembershipMirror,
  list: AccessList | undefined,
  offered: number,
): VisibleTeam[] =>
  liveTeams(mirror, list).map((team) => {
    const readable = unitNames.filter((_unit, place) => (team.units[place] ?? 0) >= accessMode.read);
    return { ...team, readableUnits: bitsOfUnits(readable) & offered };
  });

/** The grants of a caller. Anonymous callers and administrators have none, because none would help them. */
export const findVisibleRepositoriesOf = async (
  forge: Forge,
  actor: Actor | undefined,
): Promise<VisibleRepositories> =>
  actor === undefined || actor.user.isAdmin
    ? noVisibleRepositories
    : findVisibleRepositories(forge, actor.user.id);

/**
 * The grants of a user as far as a caller may know of them: teams only in organizations where the user shows their
 * membership or the caller is a member; nothing of a user that the caller may not know of.
 */
export async function findShownRepositories(
  forge: Forge,
  actor: Actor | undefined,
  userId: number,
): Promise<VisibleRepositories> {
  const visible = await findVisibleRepositories(forge, userId);
  if (actor?.user.isAdmin === true || actor?.user.id === userId) return visible;
  const ids = [...visible.teams.keys()];
  const [memberships, user, own] = await Promise.all([
    forge.table.getAll<Membership>(ids.map((id) => membershipKey(id, userId))),
    forge.table.get<User>(ownerKey(userId)),
    findVisibleRepositoriesOf(forge, actor),
  ]);
  if (!(await isKnown(forge, actor, user))) return noVisibleRepositories;
  const isShown = (id: number) =>
    own.teams.has(id) || memberships.get(keyText(membershipKey(id, userId)))?.isPublic === true;
  return { ...visible, teams: new Map([...visible.teams].filter(([id]) => isShown(id))) };
}

/** Whether these grants include a repository, as far as lists know. It does not say that the user may see it. */
export function isVisibleByGrant(visible: VisibleRepositories, repository: VisibleRepository): boolean {
  if (collaborationIn(visible, repository) > accessMode.none) return true;
  const own = visible.teams.get(repository.ownerId) ?? [];
  return own.some((team) => team.includesAll || repository.hasTeam(team.id));
}

/**
 * Whether a caller with these grants may see a repository that others own, from what the list index knows: the same
 * answer as `rightsOn` from the repository itself (semantics §3.3, steps 5 to 7). `isOpen`: the caller may read it like
 * everybody.
 */
export function maySee(
  visible: VisibleRepositories,
  repository: VisibleRepository,
  isOpen: boolean,
): boolean {
  const { units } = repository;
  // Most are for everybody, which is known without a look at teams.
  if (isOpen && (units & codeUnit) !== 0) return true;
  let isInTeam = false;
  let readableUnits = 0;
  for (const team of visible.teams.get(repository.ownerId) ?? []) {
    if (!team.includesAll && !repository.hasTeam(team.id)) continue;
    if (team.mode >= accessMode.admin) return true;
    isInTeam = true;
    readableUnits |= team.readableUnits;
  }
  if ((readableUnits & units) !== 0) return true;
  const isGiven = isOpen || collaborationIn(visible, repository) > accessMode.none;
  // Members of teams that have a repository see it only through its units.
  return isGiven && (!isInTeam || (units & visible.offeredUnits) !== 0);
}

/** The grants on one repository that follow from all grants. */
export const grantsIn = (
  visible: VisibleRepositories,
  repository: Pick<VisibleRepository, "id" | "ownerId">,
  isAcquainted: boolean,
): Grants => ({
  teams: visible.teams.get(repository.ownerId) ?? [],
  collaboration: collaborationIn(visible, repository),
  isAcquainted,
});

function collaborationIn(
  { teams, collaborations }: VisibleRepositories,
  { id, ownerId }: Pick<VisibleRepository, "id" | "ownerId">,
): AccessMode {
  const given = collaborations.get(id);
  return given !== undefined && collaborationCounts(given, ownerId, teams.get(ownerId) ?? [])
    ? accessMode[given.mode]
    : accessMode.none;
}
