import { accessMode, modeOf, type UnitName } from "#core/access/modes";
import {
  findOrganizationAccess,
  findTeamAccess,
  type OrganizationAccess,
  type TeamAccess,
} from "#core/access/organization-access";
import { isShut, type Place, publicOnlyRefusal } from "#core/access/public-only";
import { findAccess, findAccessById, type RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import { defined } from "#core/defined";
import {
  archived,
  forbidden,
  missingRights,
  notFound,
  targetNotFound,
  unauthorized,
  unprocessable,
} from "#core/errors";
import type { Forge } from "#core/forge";
import type { Owner } from "#core/owner/owner";
import { missingScope } from "#core/token/scope";
import { findOwner, noSuchUser } from "#core/user/find";
import { findSystemUserByName } from "#core/user/system-users";
import { type Endpoint, isOpen, type Needs } from "../endpoint.ts";

/** The things that were loaded for a request while its needs were checked. */
export interface Resolved {
  readonly access?: RepositoryAccess;
  readonly user?: Owner;
  readonly organization?: OrganizationAccess;
  readonly team?: TeamAccess;
}

/** The names and numbers in a request's path. */
type PathParams = Readonly<Record<string, string | number>>;

/**
 * Checks the needs of an operation in the order of semantics §1.7: token scope, then for repositories and organizations
 * the target before the login (so that hidden ones are 404 for everybody), elsewhere the login first; then role.
 */
export async function resolveNeeds(
  forge: Forge,
  needs: Needs,
  request: { actor: Actor | undefined; params: PathParams; isRead: boolean },
): Promise<Resolved> {
  const { actor, params } = request;
  const missing = missingScope(actor?.grant, needs.scope ?? [], request.isRead ? "read" : "write");
  if (missing !== undefined) throw forbidden(`the token lacks the scope ${missing}`);
  if (needs.repository !== undefined && needs.team === undefined) {
    return { access: await resolveRepository(forge, needs, actor, params) };
  }
  const organization =
    needs.organization === undefined ? undefined : await resolveOrganization(forge, needs, actor, params);
  requireLogin(needs, actor);
  if (needs.explore === true && actor === undefined && forge.config.exploreRequireSigninView) {
    throw unauthorized("log in to look at users: this instance shows them to signed-in callers only");
  }
  if (needs.ownPassword !== undefined && actor !== undefined) requireOwnPassword(actor);
  requireSiteAdmin(needs, actor);
  const user = needs.user === undefined ? undefined : await resolveUser(forge, needs.user, actor, params);
  const team = needs.team === undefined ? undefined : await resolveTeam(forge, needs.team, actor, params);
  const access =
    team === undefined || needs.repository === undefined
      ? undefined
      : await resolveTeamRepository(forge, needs, actor, team, params);
  return {
    ...defined({ access, organization, user, team }),
  };
}

/** Thrown when a request uses a former name: the caller is sent to the present one (semantics §1.3). */
export class Moved extends Error {
  /** By path parameter. */
  readonly names: Readonly<Record<string, string>>;
  constructor(names: Readonly<Record<string, string>>) {
    super(`what was asked for is ${Object.values(names).join("/")} now`);
    this.names = names;
  }
}

function requireCurrentNames(params: PathParams, names: Readonly<Record<string, string>>): void {
  const isCurrent = Object.entries(names).every(
    ([param, name]) => String(params[param]).toLowerCase() === name.toLowerCase(),
  );
  if (!isCurrent) throw new Moved(names);
}

function requireOwnPassword({ grant, sudoBy }: Actor): void {
  if (grant !== undefined) throw forbidden("a token may not do this: use name and password");
  if (sudoBy !== undefined) throw forbidden("nobody may do this as somebody else");
}

function requireLogin(needs: Needs, actor: Actor | undefined): void {
  if (!isOpen(needs) && actor === undefined)
    throw unauthorized("log in to do this: a token or basic authentication is required");
}

function requireSiteAdmin(needs: Needs, actor: Actor | undefined): void {
  if (needs.siteAdmin === true && actor?.user.isAdmin !== true) {
    throw forbidden("only site administrators may do this");
  }
}

async function resolveUser(
  forge: Forge,
  need: NonNullable<Needs["user"]>,
  actor: Actor | undefined,
  params: PathParams,
): Promise<Owner> {
  const name = String(params.username);
  const system = need === "known" ? findSystemUserByName(name) : undefined;
  if (system !== undefined) return system;
  const found = await findOwner(forge, actor, name);
  if (found?.kind === "organization" && need === "account") {
    throw unprocessable(`${found.name} is an organization, not a user`);
  }
  if (found === undefined || (found.kind === "organization" && need !== "owner" && need !== "known")) {
    throw noSuchUser(name);
  }
  requireCurrentNames({ username: name }, { username: found.name });
  if (need === "self-or-admin" && actor?.user.id !== found.id && actor?.user.isAdmin !== true) {
    throw forbidden("only the user and site administrators may do this");
  }
  requirePublic(actor, { owner: found });
  return found;
}

async function resolveOrganization(
  forge: Forge,
  needs: Needs,
  actor: Actor | undefined,
  { org, username }: PathParams,
): Promise<OrganizationAccess> {
  const found = await findOrganizationAccess(forge, actor, String(org));
  if (found === undefined) {
    throw needs.unknownOrganization === "invalid"
      ? unprocessable(`org does not exist [name: ${org}]`)
      : targetNotFound(noSuchUser(String(org)).message);
  }
  requireCurrentNames({ org: org ?? "" }, { org: found.organization.name });
  requireLogin(needs, actor);
  const { organization, isMember, isOwner } = found;
  requirePublic(actor, { owner: organization });
  const mayAsHimself = needs.organization === "owner-or-self" && isNamed(actor, username);
  if (needs.organization?.startsWith("owner") === true && !isOwner && !mayAsHimself) {
    throw forbidden("Must be an organization owner");
  }
  if (needs.organization === "member" && !isMember && !isOwner) {
    throw forbidden("Must be an organization member");
  }
  return found;
}

const isNamed = (actor: Actor | undefined, name: string | number | undefined): boolean =>
  actor?.user.name.toLowerCase() === String(name).toLowerCase();

/** Strangers to the organization learn of none of its teams; other members may not look into this one. */
async function resolveTeam(
  forge: Forge,
  need: NonNullable<Needs["team"]>,
  actor: Actor | undefined,
  { id, username }: PathParams,
): Promise<TeamAccess> {
  const found = await findTeamAccess(forge, actor, Number(id));
  if (found === undefined || !(found.isMember || found.isOwner)) {
    throw targetNotFound(`team does not exist [id: ${id}]`);
  }
  requirePublic(actor, { owner: found.organization });
  const mayAsHimself = need === "owner-or-self" && isNamed(actor, username);
  if (need !== "member" && !found.isOwner && !mayAsHimself) throw forbidden("Must be an organization owner");
  if (!found.isOwner && found.teams.every((team) => team.id !== found.team.id)) {
    throw forbidden("Must be a team member");
  }
  return found;
}

/** A repository of the team's organization, named `{org}/{repo}`. */
async function resolveTeamRepository(
  forge: Forge,
  needs: Needs,
  actor: Actor | undefined,
  { organization }: TeamAccess,
  { org, repo }: PathParams,
): Promise<RepositoryAccess> {
  const access = await resolveRepository(forge, needs, actor, { org: org ?? "", repo: repo ?? "" }, "org");
  if (access.owner.id === organization.id) return access;
  throw targetNotFound(`repository does not exist [${organization.name}/${repo}]`);
}

function requirePublic(actor: Actor | undefined, place: Place): void {
  if (isShut(actor, place)) throw publicOnlyRefusal();
}

async function resolveRepository(
  forge: Forge,
  needs: Needs,
  actor: Actor | undefined,
  params: PathParams,
  ownerParam: "owner" | "org" = "owner",
): Promise<RepositoryAccess> {
  const isTemplate = params.template_owner !== undefined;
  const [ownerName, repoName] = isTemplate ? ["template_owner", "template_repo"] : [ownerParam, "repo"];
  const { [ownerName]: owner, [repoName]: repo, id } = params;
  const access =
    owner === undefined
      ? await findAccessById(forge, actor, Number(id))
      : await findAccess(forge, actor, String(owner), String(repo));
  if (access === undefined) {
    throw targetNotFound(
      `repository does not exist [${owner === undefined ? `id: ${id}` : `${owner}/${repo}`}]`,
    );
  }
  if (owner !== undefined) {
    requireCurrentNames(params, { [ownerName]: access.owner.name, [repoName]: access.repository.name });
  }
  requireLogin(needs, actor);
  requireSiteAdmin(needs, actor);
  requirePublic(actor, access);
  requireMode(needs, access);
  return access;
}

/** The needs without the mode on the repository, for operations whose body is read before that. */
export function openNeeds({ repository, ...needs }: Needs): Needs {
  if (repository === undefined) return needs;
  return { ...needs, repository: { ...repository, mode: "read" } };
}

/** Throws when the repository is archived and the operation is one that this stops. */
export function requireUnarchived(
  { refusesArchived }: Pick<Endpoint, "refusesArchived">,
  access: RepositoryAccess | undefined,
): void {
  if (refusesArchived === true && access?.repository.isArchived === true) {
    throw archived("the repository is archived and read-only");
  }
}

const hiddenUnits: readonly UnitName[] = ["issues", "pulls", "wiki"];

/** Throws when the caller's rights on the repository are less than needed. */
export function requireMode(needs: Needs, { rights }: Pick<RepositoryAccess, "rights">): void {
  const { mode = "read", unit } = needs.repository ?? {};
  const units = unit === undefined ? undefined : [unit].flat();
  const modes = units === undefined ? [rights.base] : units.map((name) => modeOf(rights, name));
  const best = Math.max(...modes);
  if (best < accessMode.read && units?.some((name) => hiddenUnits.includes(name))) {
    throw notFound("this part of the repository is switched off, or hidden from you");
  }
  if (best < accessMode[mode]) throw missingRights(`this needs ${mode} rights on the repository`);
}
