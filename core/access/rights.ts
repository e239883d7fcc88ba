import type { Actor, TaskGrant } from "../actor.ts";
import type { Forge } from "../forge.ts";
import type { Owner } from "../owner/owner.ts";
import type { Repository } from "../repository/repository.table.ts";
import { enabledUnits } from "./enabled-units.ts";
import { type Grants, noGrants } from "./grants.ts";
import {
  type AccessMode,
  accessMode,
  hasAccess,
  modeOf,
  type Rights,
  type UnitName,
  unitNames,
} from "./modes.ts";
import { isHiddenFromToken, type Place } from "./public-only.ts";
import type { TeamRights } from "./team-rights.ts";
import { maySeeOrganization, maySeeUser } from "./visibility.ts";

/**
 * What the caller may do on a repository (semantics §3.3), from items that were read strongly for this request. The
 * numbers are the steps of that section. In step 7 the units of a collaborator start from the mode given to them as
 * collaborator, not from the base: a team's right on another unit may have raised that (decision 12).
 */
export function rightsOn(
  { config }: Pick<Forge, "config">,
  actor: Actor | undefined,
  repository: Repository,
  owner: Owner,
  grants: Grants = noGrants,
): Rights {
  if (actor?.task !== undefined)
    return taskRightsOn(actor.task, repository, enabledUnits(config, repository));
  const rights = ownRightsOn(actor, repository, owner, grants, enabledUnits(config, repository));
  return repository.isWikiOpen === true && actor !== undefined ? withOpenWiki(rights) : rights;
}

/** A job sees its own repository and no other, however public that is (semantics §61). */
function taskRightsOn(
  { repositoryId, mayWrite }: TaskGrant,
  { id }: Repository,
  units: Rights["enabledUnits"],
): Rights {
  const own = mayWrite ? accessMode.write : accessMode.read;
  return { base: id === repositoryId ? own : accessMode.none, enabledUnits: units };
}

/** Everybody who may read the wiki may write it, too (semantics §65.2). */
function withOpenWiki(rights: Rights): Rights {
  const mode = modeOf(rights, "wiki");
  if (mode < accessMode.read || mode >= accessMode.write) return rights;
  const units = Object.fromEntries([...rights.enabledUnits].map((unit) => [unit, modeOf(rights, unit)]));
  return { ...rights, units: { ...units, wiki: accessMode.write } };
}

function ownRightsOn(
  actor: Actor | undefined,
  repository: Repository,
  owner: Owner,
  grants: Grants,
  enabledUnits: Rights["enabledUnits"],
): Rights {
  const plain = (base: AccessMode): Rights => ({ base, enabledUnits });
  if (actor === undefined && repository.isPrivate) return plain(accessMode.none); // 1
  const isCollaborator = grants.collaboration > accessMode.none;
  if (!isCollaborator && !maySeeOwner(actor, owner, grants)) return plain(accessMode.none); // 2
  if (actor === undefined) return plain(accessMode.read); // 3
  if (actor.user.isAdmin || actor.user.id === owner.id) return plain(accessMode.owner); // 4
  const teams = grants.teams.filter((team) => teamIncludes(team, repository));
  const everybodys = repository.isPrivate || actor.user.isRestricted ? accessMode.none : accessMode.read;
  const base = greatest([grants.collaboration, everybodys, ...teams.map(({ mode }) => mode)]); // 5
  if (owner.kind === "user" || teams.length === 0) return plain(base); // 6
  if (teams.some(({ mode }) => mode >= accessMode.admin)) return plain(accessMode.owner); // 7
  const units: Partial<Record<UnitName, AccessMode>> = {};
  for (const unit of enabledUnits) {
    const place = unitNames.indexOf(unit);
    const given = greatest(teams.map((team) => team.units[place] ?? accessMode.none));
    units[unit] = greatest([given, grants.collaboration, everybodys]);
  }
  return { base, units, enabledUnits };
}

/** Whether a team has a repository of its organization. */
export const teamIncludes = (
  team: Pick<TeamRights, "id" | "includesAll">,
  { teamIds = [] }: Pick<Repository, "teamIds">,
): boolean => team.includesAll || teamIds.includes(team.id);

function maySeeOwner(actor: Actor | undefined, owner: Owner, grants: Grants): boolean {
  return owner.kind === "organization"
    ? maySeeOrganization(actor, owner, grants.teams.length > 0)
    : grants.isAcquainted || maySeeUser(actor, owner);
}

const greatest = (modes: readonly AccessMode[]): AccessMode => Math.max(0, ...modes) as AccessMode;

/** Whether a repository with these rights belongs in the caller's lists. A token may keep it out. */
export const mayList = (actor: Actor | undefined, access: Place & { readonly rights: Rights }): boolean =>
  hasAccess(access.rights) && !isHiddenFromToken(actor, access);
