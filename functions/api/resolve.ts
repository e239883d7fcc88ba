import { accessMode, modeOf, type Rights, type UnitName } from "#core/access/modes";
import { findAccess, findAccessById, type RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import { archived, forbidden, gate, missingRights, notFound, unauthorized } from "#core/errors";
import type { Forge } from "#core/forge";
import { missingScope } from "#core/token/scope";
import * as users from "#core/user/user";
import type { User } from "#core/user/user.table";
import { isOpen, type Needs } from "./endpoint.ts";

/** What was loaded for a request while its needs were checked. */
export interface Resolved {
  readonly access: RepositoryAccess | undefined;
  readonly user: User | undefined;
}

/**
 * Checks the needs of an operation in the order of semantics §1.7: token scope, then for repositories the target
 * before the login (so that hidden ones are 404 for everybody), elsewhere the login first; then role, then archive.
 */
export async function resolveNeeds(
  forge: Forge,
  needs: Needs,
  request: { actor: Actor | undefined; params: Readonly<Record<string, string | number>>; isRead: boolean },
): Promise<Resolved> {
  const { actor, params } = request;
  if (forge.config.requireSigninView && actor === undefined) {
    throw gate("this instance answers signed-in callers only");
  }
  const missing = missingScope(actor?.grant, needs.scope ?? [], request.isRead ? "read" : "write");
  if (missing !== undefined) throw forbidden(`the token lacks the scope ${missing}`);
  if (needs.repository !== undefined) {
    const access = await resolveRepository(forge, needs, actor, params);
    return { access, user: undefined };
  }
  requireLogin(needs, actor);
  if (needs.siteAdmin === true && actor?.user.isAdmin !== true) {
    throw forbidden("only site administrators may do this");
  }
  const user = needs.user === undefined ? undefined : await resolveUser(forge, needs.user, actor, params);
  return { access: undefined, user };
}

function requireLogin(needs: Needs, actor: Actor | undefined): void {
  if (!isOpen(needs) && actor === undefined)
    throw unauthorized("log in to do this: a token or basic authentication is required");
}

async function resolveUser(
  forge: Forge,
  need: NonNullable<Needs["user"]>,
  actor: Actor | undefined,
  params: Readonly<Record<string, string | number>>,
): Promise<User> {
  const user = await users.getByName(forge, actor, String(params.username));
  if (need === "self-or-admin" && actor?.user.id !== user.id && actor?.user.isAdmin !== true) {
    throw forbidden("only the user himself and site administrators may do this");
  }
  if (actor?.grant?.isPublicOnly === true && user.visibility !== "public") {
    throw forbidden("the token is limited to what is public");
  }
  return user;
}

async function resolveRepository(
  forge: Forge,
  needs: Needs,
  actor: Actor | undefined,
  params: Readonly<Record<string, string | number>>,
): Promise<RepositoryAccess> {
  const { owner, repo, id } = params;
  const access =
    owner === undefined
      ? await findAccessById(forge, actor, Number(id))
      : await findAccess(forge, actor, String(owner), String(repo));
  if (access === undefined) {
    throw notFound(`repository does not exist [${owner === undefined ? `id: ${id}` : `${owner}/${repo}`}]`);
  }
  requireLogin(needs, actor);
  if (actor?.grant?.isPublicOnly === true && access.repository.isPrivate) {
    throw forbidden("the token is limited to what is public");
  }
  requireMode(needs, access.rights);
  if (needs.repository?.refusesArchived === true && access.repository.isArchived) {
    throw archived("the repository is archived and read-only");
  }
  return access;
}

const hiddenUnits: readonly UnitName[] = ["issues", "pulls", "wiki"];

function requireMode(needs: Needs, rights: Rights): void {
  const { mode = "read", unit } = needs.repository ?? {};
  const units = unit === undefined ? undefined : [unit].flat();
  const modes = units === undefined ? [rights.base] : units.map((name) => modeOf(rights, name));
  const best = Math.max(...modes);
  if (best < accessMode.read && units?.some((name) => hiddenUnits.includes(name))) {
    throw notFound("this part of the repository is switched off, or hidden from you");
  }
  if (best < accessMode[mode]) throw missingRights(`this needs ${mode} rights on the repository`);
}
