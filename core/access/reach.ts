import type { Actor } from "../actor.ts";
import { type CollaboratorMirror, collaboratorMirrorsOf } from "../collaborator/collaborator.table.ts";
import type { Forge } from "../forge.ts";
import { keyText } from "../table.ts";
import {
  type AccessList,
  type Membership,
  type MembershipMirror,
  membershipKey,
  membershipMirrorsOf,
} from "../team/team.table.ts";
import { type User, userKey } from "../user/user.table.ts";
import { findAccessLists } from "./access-lists.ts";
import { isKnown } from "./acquaintance.ts";
import { codeUnit, offeredUnits } from "./enabled-units.ts";
import { type AccessMode, accessMode, bitsOfUnits, unitNames } from "./modes.ts";
import { counts, liveTeams, type Standing } from "./standing.ts";
import type { TeamRights } from "./team-rights.ts";

/** Everything that a user was given on what is not his own: his teams by organization, his collaborations by repository. */
export interface Reach {
  readonly teams: ReadonlyMap<number, readonly ReachedTeam[]>;
  readonly collaborations: ReadonlyMap<number, CollaboratorMirror>;
  /** The units that the installation offers, as bits (`bitsOfUnits`). */
  readonly offeredUnits: number;
}

/** What one team gives to its members. */
export interface ReachedTeam extends TeamRights {
  /** The units that it lets them read, of those that the installation offers, as bits (`bitsOfUnits`). */
  readonly readableUnits: number;
}

/** What a list knows of a repository without reading it. */
export interface ReachedRepository {
  readonly id: number;
  readonly ownerId: number;
  /** Those that its item names, as bits (`bitsOfUnits`): the installation need not offer all of them. */
  readonly units: number;
  hasTeam(teamId: number): boolean;
}

/** The reach of those who need none: whom no team binds, for him nothing depends on units. */
export const noReach: Reach = { teams: new Map(), collaborations: new Map(), offeredUnits: 0 };

/** The reach of a user, read strongly: two queries, and the access lists of his organizations. */
export async function findReach(forge: Forge, userId: number): Promise<Reach> {
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
      [mirror.organizationId, reachedTeams(mirror, lists.get(mirror.organizationId), offered)] as const,
  );
  return {
    teams: new Map(teams.filter(([, live]) => live.length > 0)),
    collaborations: new Map(collaborations.map((mirror) => [mirror.repositoryId, mirror])),
    offeredUnits: offered,
  };
}

const reachedTeams = (
  mirror: MembershipMirror,
  list: AccessList | undefined,
  offered: number,
): ReachedTeam[] =>
  liveTeams(mirror, list).map((team) => {
    const readable = unitNames.filter((_unit, place) => (team.units[place] ?? 0) >= accessMode.read);
    return { ...team, readableUnits: bitsOfUnits(readable) & offered };
  });

/** The reach of a caller; none for anonymous callers and administrators, whom it would not help. */
export const findReachOf = async (forge: Forge, actor: Actor | undefined): Promise<Reach> =>
  actor === undefined || actor.user.isAdmin ? noReach : findReach(forge, actor.user.id);

/**
 * The reach of a user as far as a caller may know of it: of his teams those in organizations where he shows his
 * membership, or where the caller is himself; nothing of a user whom the caller may not know of.
 */
export async function findShownReach(forge: Forge, actor: Actor | undefined, userId: number): Promise<Reach> {
  const reach = await findReach(forge, userId);
  if (actor?.user.isAdmin === true || actor?.user.id === userId) return reach;
  const ids = [...reach.teams.keys()];
  const [memberships, user, own] = await Promise.all([
    forge.table.getAll<Membership>(ids.map((id) => membershipKey(id, userId))),
    forge.table.get<User>(userKey(userId)),
    findReachOf(forge, actor),
  ]);
  if (!(await isKnown(forge, actor, user))) return noReach;
  const isShown = (id: number) =>
    own.teams.has(id) || memberships.get(keyText(membershipKey(id, userId)))?.isPublic === true;
  return { ...reach, teams: new Map([...reach.teams].filter(([id]) => isShown(id))) };
}

/** Whether somebody of this reach was given a repository, as far as lists know, whether or not he may see it. */
export function isReached(reach: Reach, repository: ReachedRepository): boolean {
  if (collaborationIn(reach, repository) > accessMode.none) return true;
  const own = reach.teams.get(repository.ownerId) ?? [];
  return own.some((team) => team.includesAll || repository.hasTeam(team.id));
}

/**
 * Whether a caller of this reach may see a repository that is not his own, from what the directory knows: as `rightsOn`
 * says from the repository itself (semantics §3.3, steps 5 to 7). `isOpen`: he may read it like everybody.
 */
export function maySee(reach: Reach, repository: ReachedRepository, isOpen: boolean): boolean {
  const { units } = repository;
  // Most are for everybody, which is known without a look at teams.
  if (isOpen && (units & codeUnit) !== 0) return true;
  let isInTeam = false;
  let readableUnits = 0;
  for (const team of reach.teams.get(repository.ownerId) ?? []) {
    if (!team.includesAll && !repository.hasTeam(team.id)) continue;
    if (team.mode >= accessMode.admin) return true;
    isInTeam = true;
    readableUnits |= team.readableUnits;
  }
  if ((readableUnits & units) !== 0) return true;
  const isGiven = isOpen || collaborationIn(reach, repository) > accessMode.none;
  // To members of teams that have it a repository is what its units are.
  return isGiven && (!isInTeam || (units & reach.offeredUnits) !== 0);
}

/** The standing on one repository that follows from a reach. */
export const standingIn = (
  reach: Reach,
  repository: Pick<ReachedRepository, "id" | "ownerId">,
  isAcquainted: boolean,
): Standing => ({
  teams: reach.teams.get(repository.ownerId) ?? [],
  collaboration: collaborationIn(reach, repository),
  isAcquainted,
});

function collaborationIn(
  { teams, collaborations }: Reach,
  { id, ownerId }: Pick<ReachedRepository, "id" | "ownerId">,
): AccessMode {
  const given = collaborations.get(id);
  return given !== undefined && counts(given, ownerId, teams.get(ownerId) ?? [])
    ? accessMode[given.mode]
    : accessMode.none;
}
