import type { Actor } from "../actor.ts";
import { type CollaboratorMirror, collaboratorMirrorsOf } from "../collaborator/collaborator.table.ts";
import type { Forge } from "../forge.ts";
import { type MembershipMirror, membershipMirrorsOf } from "../team/team.table.ts";
import { findAccessLists } from "./access-lists.ts";
import { type AccessMode, accessMode } from "./modes.ts";
import { liveTeams, type Standing } from "./standing.ts";
import type { TeamRights } from "./team-rights.ts";

/** Everything that a user was given on what is not his own: his teams by organization, his collaborations by repository. */
export interface Reach {
  readonly teams: ReadonlyMap<number, readonly TeamRights[]>;
  readonly collaborations: ReadonlyMap<number, AccessMode>;
}

/** What a list knows of a repository without reading it. */
export interface ReachedRepository {
  readonly id: number;
  readonly ownerId: number;
  hasTeam(teamId: number): boolean;
}

/** The reach of those who need none. */
export const noReach: Reach = { teams: new Map(), collaborations: new Map() };

/** The reach of a user, read strongly: two queries, and the access lists of his organizations. */
export async function findReach(forge: Forge, userId: number): Promise<Reach> {
  const { table } = forge;
  const [mirrors, collaborations] = await Promise.all([
    table.queryAll<MembershipMirror>(membershipMirrorsOf(userId)),
    table.queryAll<CollaboratorMirror>(collaboratorMirrorsOf(userId)),
  ]);
  const lists = await findAccessLists(
    forge,
    mirrors.map(({ organizationId }) => organizationId),
  );
  const teams = mirrors.map(
    (mirror) => [mirror.organizationId, liveTeams(mirror, lists.get(mirror.organizationId))] as const,
  );
  return {
    teams: new Map(teams.filter(([, live]) => live.length > 0)),
    collaborations: new Map(collaborations.map(({ repositoryId, mode }) => [repositoryId, accessMode[mode]])),
  };
}

/** The reach of a caller; none for anonymous callers and administrators, whom it would not help. */
export const findReachOf = async (forge: Forge, actor: Actor | undefined): Promise<Reach> =>
  actor === undefined || actor.user.isAdmin ? noReach : findReach(forge, actor.user.id);

/** Whether a repository is within reach, as far as lists know. */
export function isReached({ teams, collaborations }: Reach, repository: ReachedRepository): boolean {
  if (collaborations.has(repository.id)) return true;
  const own = teams.get(repository.ownerId) ?? [];
  return own.some((team) => team.includesAll || repository.hasTeam(team.id));
}

/** The standing on one repository that follows from a reach. */
export const standingIn = (
  { teams, collaborations }: Reach,
  { id, ownerId }: { readonly id: number; readonly ownerId: number },
  isAcquainted: boolean,
): Standing => ({
  teams: teams.get(ownerId) ?? [],
  collaboration: collaborations.get(id) ?? accessMode.none,
  isAcquainted,
});
