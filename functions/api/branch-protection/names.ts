import { accessMode, modeOf } from "#core/access/modes";
import { findAccessById, type RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import type { Allowed } from "#core/branch-protection/branch-protection.table";
import { unprocessable } from "#core/errors";
import type { Forge } from "#core/forge";
import { listTeams } from "#core/team/list";
import type { Team } from "#core/team/team.table";
import { findUsersById, findVisibleUser } from "#core/user/find";
import type { User } from "#core/user/user.table";

/** Users and teams as a request names them; an absent list stays as it is. */
export interface NamedAllowed {
  readonly users?: readonly string[] | undefined;
  readonly teams?: readonly string[] | undefined;
}

/** The caller, and the repository. */
export interface NamingRequest {
  readonly forge: Forge;
  readonly actor: Actor;
  readonly access: RepositoryAccess;
}

/**
 * The ids behind names. 422 for an unknown name. Users who may not write are left out when the rule is about writing
 * (semantics §12.2).
 */
export async function allowedFrom(
  request: NamingRequest,
  named: NamedAllowed,
  current: Allowed | undefined,
  needsWriters: boolean,
): Promise<Allowed> {
  const userIds =
    named.users === undefined
      ? (current?.userIds ?? [])
      : await userIdsOf(request, named.users, needsWriters);
  const teamIds =
    named.teams === undefined ? (current?.teamIds ?? []) : await teamIdsOf(request, named.teams);
  return { userIds, teamIds };
}

const mostNames = 100;

async function userIdsOf(
  { forge, actor, access }: NamingRequest,
  names: readonly string[],
  needsWriters: boolean,
): Promise<number[]> {
  if (names.length > mostNames) throw unprocessable(`a list takes at most ${mostNames} users`);
  const ids: number[] = [];
  for (const name of new Set(names)) {
    const user = await findVisibleUser(forge, actor, name);
    if (user === undefined) throw unprocessable(`user does not exist [name: ${name}]`);
    if (!needsWriters || (await mayWrite(forge, user, access))) ids.push(user.id);
  }
  return ids;
}

async function mayWrite(forge: Forge, user: User, { repository }: RepositoryAccess): Promise<boolean> {
  const access = await findAccessById(forge, { user }, repository.id, repository.ownerId);
  return access !== undefined && modeOf(access.rights, "code") >= accessMode.write;
}

async function teamIdsOf({ forge, access }: NamingRequest, names: readonly string[]): Promise<number[]> {
  if (names.length === 0) return [];
  if (names.length > mostNames) throw unprocessable(`a list takes at most ${mostNames} teams`);
  const known = await teamsOf(forge, access);
  return [...new Set(names)].map((name) => {
    const team = known.find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (team === undefined) throw unprocessable(`team does not exist [name: ${name}]`);
    return team.id;
  });
}

const teamsOf = async (forge: Forge, { owner }: RepositoryAccess): Promise<Team[]> =>
  owner.kind === "organization" ? listTeams(forge, owner.id) : [];

/** Names by id of users and teams in rules; deleted ones are left out. */
export interface Names {
  readonly users: ReadonlyMap<number, string>;
  readonly teams: ReadonlyMap<number, string>;
}

/** The names in lists of rules, in one or two requests. */
export async function namesIn(
  forge: Forge,
  access: RepositoryAccess,
  lists: readonly (Allowed | undefined)[],
): Promise<Names> {
  const userIds = new Set(lists.flatMap((allowed) => allowed?.userIds ?? []));
  const hasTeams = lists.some((allowed) => (allowed?.teamIds.length ?? 0) > 0);
  const found = userIds.size === 0 ? new Map() : await findUsersById(forge, [...userIds]);
  const known = hasTeams ? await teamsOf(forge, access) : [];
  return {
    users: new Map([...found].map(([id, user]) => [id, user.name])),
    teams: new Map(known.map(({ id, name }) => [id, name])),
  };
}
