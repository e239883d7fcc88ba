import { findListingRules, findTokenLimit, type ListingRules } from "../../access/listed-repositories.ts";
import type { TeamAccess } from "../../access/organization-access.ts";
import { isHiddenFromToken } from "../../access/public-only.ts";
import {
  findVisibleRepositories,
  findVisibleRepositoriesOf,
  isVisibleByGrant,
  maySee,
  noVisibleRepositories,
  type VisibleRepositories,
} from "../../access/visible-repositories.ts";
import type { Actor } from "../../actor.ts";
import type { Forge } from "../../forge.ts";
import type { Owner } from "../../owner/owner.ts";
import { type PageRequest, rowsOfPage } from "../../page.ts";
import { findDetailsOfRepositories } from "../details.ts";
import type { RepositorySort } from "../repository.index.ts";
import { cardPrefix, ownerPartition } from "../repository.table.ts";
import { findCandidates, listMatchingRepositories, type RepositoryListing, wholeList } from "./page.ts";
import type { RepositoryFilter } from "./repository-filter.ts";

/**
 * The repositories among these that the caller may see, in the order of the ids; with `isPublicOnly` only those that
 * everybody may see.
 */
export async function listRepositoriesOfIds(
  forge: Forge,
  actor: Actor | undefined,
  ids: readonly number[],
  page: PageRequest,
  { isPublicOnly = false }: { readonly isPublicOnly?: boolean } = {},
): Promise<RepositoryListing> {
  if (ids.length === 0) return { items: [], total: 0 };
  const rules = await findListingRules(forge, actor);
  const filter: RepositoryFilter = {
    ids: new Set(ids),
    ...(isPublicOnly ? { isPrivate: false } : {}),
    accepts: (repository) => rules.isListed(repository),
  };
  const all = await findCandidates(forge, filter, { by: "id" }, wholeList);
  const byId = new Map(all.references.map((reference) => [reference.repositoryId, reference]));
  const ordered = ids.flatMap((id) => byId.get(id) ?? []);
  const shown = rowsOfPage(ordered, page);
  return { items: await findDetailsOfRepositories(forge, actor, shown, rules), total: all.total };
}

/** The repositories that the caller owns or was given rights on. */
export async function listOwnRepositories(
  forge: Forge,
  actor: Actor,
  sort: RepositorySort,
  page: PageRequest,
): Promise<RepositoryListing> {
  const { user } = actor;
  const [visible, limit] = await Promise.all([
    findVisibleRepositories(forge, user.id),
    findTokenLimit(forge, actor),
  ]);
  const rules = { visible, mayKnow: () => true };
  const seesPublic = !user.isRestricted;
  const filter: RepositoryFilter = {
    accepts: (repository) =>
      limit?.isListed(repository) !== false &&
      (repository.ownerId === user.id ||
        (isVisibleByGrant(visible, repository) &&
          (user.isAdmin || maySee(visible, repository, seesPublic && !repository.isPrivate)))),
  };
  return listMatchingRepositories(forge, actor, page, sort, rules, filter);
}

/** Repositories of one owner that the caller may see, by id. The caller may see the owner. */
export async function listRepositoriesOfOwner(
  forge: Forge,
  actor: Actor | undefined,
  owner: Owner,
  page: PageRequest,
): Promise<RepositoryListing> {
  const visible =
    owner.id === actor?.user.id ? noVisibleRepositories : await findVisibleRepositoriesOf(forge, actor);
  const rules = { visible, mayKnow: () => true };
  const filter = { ownerIds: new Set([owner.id]), accepts: listingTest(actor, owner, visible) };
  return listMatchingRepositories(forge, actor, page, { by: "id" }, rules, filter);
}

/** Repositories of a team that the caller may see, by id. The caller may look into the team. */
export async function listRepositoriesOfTeam(
  forge: Forge,
  actor: Actor,
  { team, organization }: TeamAccess,
  page: PageRequest,
): Promise<RepositoryListing> {
  const visible = await findVisibleRepositoriesOf(forge, actor);
  const filter: RepositoryFilter = {
    ownerIds: new Set([team.organizationId]),
    ...(team.includesAll ? {} : { teamId: team.id }),
    accepts: listingTest(actor, organization, visible),
  };
  return listMatchingRepositories(forge, actor, page, { by: "id" }, { visible, mayKnow: () => true }, filter);
}

/** Whether lists for this caller include a repository of an owner whom they may know. */
function listingTest(
  actor: Actor | undefined,
  owner: Owner,
  visible: VisibleRepositories,
): ListingRules["isListed"] {
  const hasAll = actor !== undefined && (actor.user.isAdmin || actor.user.id === owner.id);
  const seesPublic = actor?.user.isRestricted !== true;
  return (repository) => {
    if (isHiddenFromToken(actor, { owner, repository })) return false;
    return hasAll || maySee(visible, repository, seesPublic && !repository.isPrivate);
  };
}

/** Whether an owner has any repository. */
export async function hasRepositories(forge: Forge, ownerId: number): Promise<boolean> {
  const { items } = await forge.table.query({ pk: ownerPartition(ownerId), prefix: cardPrefix, limit: 1 });
  return items.length > 0;
}
