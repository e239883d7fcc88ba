import { accessMode, modeOf, unitNames } from "../access/modes.ts";
import { findOwnTeams } from "../access/own-teams.ts";
import { findAccessById, type RepositoryAccess } from "../access/repository-access.ts";
import { teamIncludes } from "../access/rights.ts";
import type { Actor } from "../actor.ts";
import { type Collaborator, collaboratorKey } from "../collaborator/collaborator.table.ts";
import { notFound, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { isIssueWriter } from "../issue/rights.ts";
import type { PullRequest } from "../pull/pull.table.ts";
import { listTeams } from "../team/list.ts";
import type { Team } from "../team/team.table.ts";
import { findOwner, findUserByLogin } from "../user/find.ts";
import type { User } from "../user/user.table.ts";

/** Users, by name or e-mail address, and teams of the owner, by name. */
export interface NamedReviewers {
  readonly users: readonly string[];
  readonly teams: readonly string[];
}

/** The people that a caller named. */
export interface FoundReviewers {
  readonly users: readonly User[];
  readonly teams: readonly Team[];
}

/** Names of one call. */
const mostNames = 50;

/** The people of these names. NotFound for the first unknown one; 422 for an organization; teams of a user are ignored. */
export async function findReviewers(
  forge: Forge,
  { owner }: RepositoryAccess,
  actor: Actor,
  { users: names, teams: teamNames }: NamedReviewers,
): Promise<FoundReviewers> {
  if (names.length + teamNames.length > mostNames) throw unprocessable(`at most ${mostNames} names`);
  const users = new Map<number, User>();
  for (const name of names) {
    const user = await findReviewer(forge, actor, name);
    users.set(user.id, user);
  }
  if (owner.kind === "user" || teamNames.length === 0) return { users: [...users.values()], teams: [] };
  const all = await listTeams(forge, owner.id);
  const teams = new Map<number, Team>();
  for (const name of teamNames) {
    const team = all.find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (team === undefined) throw notFound(`team does not exist [name: ${name}]`);
    teams.set(team.id, team);
  }
  return { users: [...users.values()], teams: [...teams.values()] };
}

/** An address that its user hides is known to them and site administrators alone. */
async function findReviewer(forge: Forge, actor: Actor, name: string): Promise<User> {
  if (name.includes("@")) {
    const user = await findUserByLogin(forge, name);
    const isShown = user?.isEmailHidden === false || user?.id === actor.user.id || actor.user.isAdmin;
    if (user !== undefined && isShown && (await findOwner(forge, actor, user.name)) !== undefined)
      return user;
    throw notFound(`user does not exist [name: ${name}]`);
  }
  const owner = await findOwner(forge, actor, name);
  if (owner === undefined) throw notFound(`user does not exist [name: ${name}]`);
  if (owner.kind !== "user") throw unprocessable(`an organization can't review [name: ${name}]`);
  return owner as User;
}

/**
 * Whether a caller may choose reviewers (semantics §47): the request's author, the owner, collaborators, and members of
 * teams that have its pull requests; site administrators, too.
 */
export async function mayChooseReviewers(
  forge: Forge,
  { repository, rights, owner }: RepositoryAccess,
  { authorId }: PullRequest,
  actor: Actor,
): Promise<boolean> {
  const { user } = actor;
  if (user.id === authorId || user.isAdmin || user.id === owner.id || isIssueWriter(rights, "pull"))
    return true;
  const row = await forge.table.get<Collaborator>(collaboratorKey(repository.id, user.id));
  if (row !== undefined && row.memberOf === undefined) return true;
  if (owner.kind === "user") return false;
  const pulls = unitNames.indexOf("pulls");
  const teams = await findOwnTeams(forge, owner.id, actor);
  return teams.some((team) => teamIncludes(team, repository) && (team.units[pulls] ?? 0) >= accessMode.read);
}

/** 422 for somebody who may not be asked: the author, who can't read the pull requests, a team without access. */
export async function requireReviewers(
  forge: Forge,
  { repository }: RepositoryAccess,
  { authorId }: PullRequest,
  { users, teams }: FoundReviewers,
): Promise<void> {
  for (const user of users) {
    if (user.id === authorId) throw unprocessable("the author of a pull request does not review it");
    if (!(await mayRead(forge, repository, user))) {
      throw unprocessable(`they can't read the pull request [name: ${user.name}]`);
    }
  }
  for (const team of teams) {
    if (!mayTeamRead(repository, team)) {
      throw unprocessable(`the team can't read the pull request [name: ${team.name}]`);
    }
  }
}

/** Whether a user can read the pull requests of a repository. */
export async function mayRead(
  forge: Forge,
  { id, ownerId }: RepositoryAccess["repository"],
  user: User,
): Promise<boolean> {
  const access = await findAccessById(forge, { user }, id, ownerId);
  return user.isActive && access !== undefined && modeOf(access.rights, "pulls") >= accessMode.read;
}

/** The same for a team: everybody can read those of a repository that is not private. */
export const mayTeamRead = (repository: RepositoryAccess["repository"], team: Team): boolean =>
  !repository.isPrivate ||
  (teamIncludes(team, repository) && accessMode[team.units.pulls ?? "none"] >= accessMode.read) ||
  (teamIncludes(team, repository) && accessMode[team.mode] >= accessMode.admin);
