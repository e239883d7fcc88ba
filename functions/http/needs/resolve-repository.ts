import { accessMode, modeOf, type UnitName } from "#core/access/modes";
import { findAccess, findAccessById, type RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import { archived, missingRights, notFound, targetNotFound } from "#core/errors";
import type { Forge } from "#core/forge";
import type { Endpoint } from "../endpoint.ts";
import type { PathParams } from "../params.ts";
import { requireLogin, requirePublic, requireSiteAdmin } from "./caller.ts";
import { requireCurrentNames } from "./moved.ts";
import type { Needs } from "./needs.ts";

/** The repository of the path, by owner and name or by id, with the mode that the operation needs. */
export async function resolveRepository(
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
  const { mode = "read", unit, readsCode } = needs.repository ?? {};
  const units = unit === undefined ? undefined : [unit].flat();
  const modes = units === undefined ? [rights.base] : units.map((name) => modeOf(rights, name));
  const best = Math.max(...modes);
  if (best < accessMode.read && units?.some((name) => hiddenUnits.includes(name))) {
    throw notFound("this part of the repository is switched off, or hidden from you");
  }
  if (best < accessMode[mode]) throw missingRights(`this needs ${mode} rights on the repository`);
  if (readsCode === true && modeOf(rights, "code") < accessMode.read)
    throw missingRights("this needs read rights on the code");
}
