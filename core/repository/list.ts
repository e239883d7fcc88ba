import { isKnown, nobody } from "../access/acquaintance.ts";
import { findListingRules, findTokenLimit, type ListingRules } from "../access/listed-repositories.ts";
import type { TeamAccess } from "../access/organization-access.ts";
import { isShut } from "../access/public-only.ts";
import { findReach, findReachOf, findShownReach, isReached, noReach, type Reach } from "../access/reach.ts";
import type { Actor } from "../actor.ts";
import { list } from "../directory/directory.ts";
import {
  ownerOf,
  type RepositoryFilter,
  type RepositorySort,
  type RepositoryView,
  repositoryDirectory,
} from "../directory/repositories.ts";
import type { Forge } from "../forge.ts";
import type { Owner } from "../owner/owner.ts";
import * as stars from "../star/star.ts";
import { keyText } from "../table.ts";
import { type User, userKey } from "../user/user.table.ts";
import * as users from "../user/user.ts";
import { findAllDetails, type RepositoryDetails, type RepositoryReference } from "./details.ts";
import { cardKey, cardPrefix, ownerIdOf, ownerPartition, type RepositoryCard } from "./repository.table.ts";

/** A page of a list, counted from 1, and its size. */
export interface ListPage {
  readonly page: number;
  readonly limit: number;
}

/** The repositories of one page and how many there are in all. */
export interface RepositoryListing {
  readonly items: RepositoryDetails[];
  readonly total: number;
}

/** What a search asks for; what is absent filters nothing. */
export interface RepositorySearch {
  /** A part of the name, or `owner/` and a part of the name; commas stand between alternatives. */
  readonly keyword?: string;
  /** Looks for the keyword among topics alone. */
  readonly isTopic?: boolean;
  /** Looks for it in descriptions and in parts of topics, too. */
  readonly includesDescriptions?: boolean;
  /** Repositories that this user owns or, as far as the caller may know, was given rights on; only those that he owns where `isExclusive`. */
  readonly userId?: number;
  readonly isExclusive?: boolean;
  /** What this team was given one by one; nothing for who is not in it. */
  readonly teamId?: number;
  readonly mode?: "source" | "fork" | "mirror" | "collaborative";
  readonly isPrivate?: boolean;
  readonly isTemplate?: boolean;
  readonly isArchived?: boolean;
  /** Only what this user starred, as far as the caller may know of him. */
  readonly starredBy?: number;
  /** What this owner has comes first, each half in the order. */
  readonly ownerFirst?: number;
  readonly sort: RepositorySort;
}

/** Repositories of the instance that the caller may see. */
export async function search(
  forge: Forge,
  actor: Actor | undefined,
  asked: RepositorySearch,
  page: ListPage,
): Promise<RepositoryListing> {
  const { userId, teamId, mode } = asked;
  const [rules, words, reach, starred] = await Promise.all([
    findListingRules(forge, actor),
    findWords(forge, actor, asked),
    userId === undefined || asked.isExclusive === true ? noReach : findShownReach(forge, actor, userId),
    asked.starredBy === undefined ? undefined : findStarred(forge, actor, asked.starredBy),
  ]);
  const own = [...rules.reach.teams.values()].flat();
  const mayAskTeam = actor?.user.isAdmin === true || own.some(({ id }) => id === teamId);
  const isOf = (repository: RepositoryView): boolean => {
    if (teamId !== undefined && !mayAskTeam) return false;
    if (userId === undefined) return true;
    const isOwn = repository.ownerId === userId;
    return isOwn ? mode !== "collaborative" : isReached(reach, repository);
  };
  const { ownerFirst, sort } = asked;
  const order = ownerFirst === undefined ? sort : { ...sort, ownerFirst };
  return listed(forge, actor, page, order, rules, {
    ...modes[mode ?? "any"],
    ...words,
    ...(teamId === undefined ? {} : { teamId }),
    ...(starred === undefined ? {} : { ids: starred }),
    ...(asked.isPrivate === undefined ? {} : { isPrivate: asked.isPrivate }),
    ...(asked.isTemplate === undefined ? {} : { isTemplate: asked.isTemplate }),
    ...(asked.isArchived === undefined ? {} : { isArchived: asked.isArchived }),
    accepts: (repository) => isOf(repository) && rules.isListed(repository),
  });
}

/** Where a search looks for its keyword; of `owner/name` the first part says whose repositories alone. */
async function findWords(
  forge: Forge,
  actor: Actor | undefined,
  { keyword, isTopic = false, includesDescriptions = false }: RepositorySearch,
): Promise<RepositoryFilter> {
  if (keyword === undefined) return {};
  if (isTopic) return { keyword, searches: { names: false, topics: "whole" } };
  if (includesDescriptions) return { keyword, searches: { descriptions: true, topics: "part" } };
  const [ownerName = "", name, ...rest] = keyword.split("/");
  if (name === undefined || rest.length > 0) return { keyword };
  const owner = await users.findOwner(forge, actor, ownerName);
  return { keyword: name, ownerIds: new Set(owner === undefined ? [] : [owner.id]) };
}

/** What a user starred; nothing of a user whom the caller may not know of, and of others' what everybody may see alone. */
async function findStarred(
  forge: Forge,
  actor: Actor | undefined,
  userId: number,
): Promise<ReadonlySet<number>> {
  const user = await forge.table.get<User>(userKey(userId));
  const isSelf = actor?.user.id === userId;
  if (forge.config.disableStars || !(isSelf || (await isKnown(forge, actor, user)))) return new Set();
  return new Set(await stars.listOfUser(forge, userId));
}

const modes: Readonly<Record<NonNullable<RepositorySearch["mode"]> | "any", RepositoryFilter>> = {
  any: {},
  source: { isFork: false, isMirror: false },
  fork: { isFork: true },
  mirror: { isMirror: true },
  collaborative: { isMirror: false },
};

/**
 * Those of some repositories that the caller may see, in the order of the ids; with `isPublicOnly` those that everybody
 * may see alone.
 */
export async function listOfIds(
  forge: Forge,
  actor: Actor | undefined,
  ids: readonly number[],
  page: ListPage,
  { isPublicOnly = false }: { readonly isPublicOnly?: boolean } = {},
): Promise<RepositoryListing> {
  if (ids.length === 0) return { items: [], total: 0 };
  const rules = await findListingRules(forge, actor);
  const filter: RepositoryFilter = {
    ids: new Set(ids),
    ...(isPublicOnly ? { isPrivate: false } : {}),
    accepts: (repository) => rules.isListed(repository),
  };
  const all = await candidates(forge, filter, { by: "id" }, everything);
  const byId = new Map(all.references.map((reference) => [reference.repositoryId, reference]));
  const ordered = ids.flatMap((id) => byId.get(id) ?? []);
  const shown = ordered.slice((page.page - 1) * page.limit, page.page * page.limit);
  return { items: await findAllDetails(forge, actor, shown, rules), total: all.total };
}

const everything: ListPage = { page: 1, limit: Number.MAX_SAFE_INTEGER };

/**
 * The repositories that the caller owns or was given rights on. Sizes that they are ordered by are those of this
 * moment; elsewhere in the directory they follow within seconds.
 */
export async function listOwn(
  forge: Forge,
  actor: Actor,
  sort: RepositorySort,
  page: ListPage,
): Promise<RepositoryListing> {
  const { user } = actor;
  const [reach, limit] = await Promise.all([findReach(forge, user.id), findTokenLimit(forge, actor)]);
  const rules = { reach, mayKnow: () => true };
  const isBySize = sort.by === "size" || sort.by === "git_size";
  const filter: RepositoryFilter = {
    accepts: (repository) =>
      limit?.isListed(repository) !== false &&
      (repository.ownerId === user.id || isReached(reach, repository)),
  };
  return isBySize
    ? listedBySize(forge, actor, page, sort, rules, filter)
    : listed(forge, actor, page, sort, rules, filter);
}

/** Repositories of one owner that the caller may see, by id. The caller may see the owner. */
export async function listOfOwner(
  forge: Forge,
  actor: Actor | undefined,
  owner: Owner,
  page: ListPage,
): Promise<RepositoryListing> {
  const reach = owner.id === actor?.user.id ? noReach : await findReachOf(forge, actor);
  const rules = { reach, mayKnow: () => true };
  const filter = { ownerIds: new Set([owner.id]), accepts: listingTest(actor, owner, reach) };
  return listed(forge, actor, page, { by: "id" }, rules, filter);
}

/** Repositories that a team has, by id, for a caller who may look into the team. */
export async function listOfTeam(
  forge: Forge,
  actor: Actor,
  { team, organization }: TeamAccess,
  page: ListPage,
): Promise<RepositoryListing> {
  const reach = await findReachOf(forge, actor);
  const filter: RepositoryFilter = {
    ownerIds: new Set([team.organizationId]),
    ...(team.includesAll ? {} : { teamId: team.id }),
    accepts: (repository) => !isShut(actor, { owner: organization, repository }),
  };
  return listed(forge, actor, page, { by: "id" }, { reach, mayKnow: () => true }, filter);
}

/** Whether a repository of an owner whom the caller may know is listed for him. */
function listingTest(actor: Actor | undefined, owner: Owner, reach: Reach): ListingRules["isListed"] {
  const hasAll = actor !== undefined && (actor.user.isAdmin || actor.user.id === owner.id);
  const seesPublic = actor?.user.isRestricted !== true;
  return (repository) => {
    if (isShut(actor, { owner, repository })) return false;
    return hasAll || isReached(reach, repository) || (!repository.isPrivate && seesPublic);
  };
}

const findCards = (forge: Forge, owner: Pick<Owner, "id">): Promise<RepositoryCard[]> =>
  forge.table.queryAll<RepositoryCard>({ pk: ownerPartition(owner.id), prefix: cardPrefix });

type PageRules = Pick<ListingRules, "reach" | "mayKnow">;

/** All that match, ordered by the sizes on their cards. */
async function listedBySize(
  forge: Forge,
  actor: Actor,
  page: ListPage,
  { isDescending = false }: RepositorySort,
  rules: PageRules,
  filter: RepositoryFilter,
): Promise<RepositoryListing> {
  const all = await candidates(forge, filter, { by: "id" }, everything);
  const byId = new Map(all.references.map((reference) => [reference.repositoryId, reference]));
  const others = all.references.filter(({ ownerId }) => ownerId !== actor.user.id);
  const keys = others.map(({ ownerId, repositoryId }) => cardKey(ownerId, repositoryId));
  // His own lie side by side: a query of many costs little, where each by its key costs a unit.
  const [ownCards, found] = await Promise.all([
    others.length < all.references.length ? findCards(forge, actor.user) : [],
    forge.table.getAll<RepositoryCard>(keys),
  ]);
  const cards = [
    ...ownCards.filter(({ repositoryId }) => byId.has(repositoryId)),
    ...keys.flatMap((key) => found.get(keyText(key)) ?? []),
  ].sort((one, other) => one.repositoryId - other.repositoryId);
  const direction = isDescending ? -1 : 1;
  cards.sort((one, other) => direction * (one.gitBytes - other.gitBytes));
  const shown = cards.slice((page.page - 1) * page.limit, page.page * page.limit);
  const references = shown.flatMap((card) => {
    const reference = byId.get(card.repositoryId);
    return reference === undefined ? [] : [{ ...reference, ownerId: ownerIdOf(card), card }];
  });
  return { items: await findAllDetails(forge, actor, references, rules), total: cards.length };
}

/** A page of the directory's repositories that a filter lets through. */
export async function listed(
  forge: Forge,
  actor: Actor | undefined,
  page: ListPage,
  sort: ListOrder,
  rules: PageRules,
  filter: RepositoryFilter,
): Promise<RepositoryListing> {
  const { references, total } = await candidates(forge, filter, sort, page);
  return { items: await findAllDetails(forge, actor, references, rules), total };
}

interface Candidates {
  readonly references: RepositoryReference[];
  readonly total: number;
}

/** Those of the owner who comes first, then the others. */
async function ownersFirst(
  forge: Forge,
  filter: RepositoryFilter,
  { ownerFirst, ...sort }: ListOrder,
  { page, limit }: ListPage,
): Promise<Candidates> {
  const upToPage = { page: 1, limit: page * limit };
  const half = (isFirst: boolean) =>
    candidates(
      forge,
      {
        ...filter,
        accepts: (one) =>
          (one.ownerId === ownerFirst) === isFirst && (filter.accepts === undefined || filter.accepts(one)),
      },
      sort,
      upToPage,
    );
  const [first, rest] = await Promise.all([half(true), half(false)]);
  const references = [...first.references, ...rest.references].slice((page - 1) * limit, page * limit);
  return { references, total: first.total + rest.total };
}

/** An order, and the owner whose repositories come before all others. */
type ListOrder = RepositorySort & { readonly ownerFirst?: number };

/** A page of what the directory holds. */
export async function candidates(
  forge: Forge,
  filter: RepositoryFilter,
  sort: ListOrder,
  bounds: ListPage,
): Promise<Candidates> {
  if (sort.ownerFirst !== undefined) return ownersFirst(forge, filter, sort, bounds);
  const query = { filter, sort, ...bounds, keyOf: ownerOf, withVersions: true };
  const page = await list(forge, repositoryDirectory, query);
  const { ids, keys = [], versions = [], activities = [], total } = page;
  const references = ids.map((repositoryId, at) => {
    const told = { version: versions[at], activity: activities[at] };
    return { repositoryId, ownerId: keys[at] ?? nobody, ...told };
  });
  return { references, total };
}

/** Whether an owner has any repository. */
export async function hasRepositories(forge: Forge, ownerId: number): Promise<boolean> {
  const { items } = await forge.table.query({ pk: ownerPartition(ownerId), prefix: cardPrefix, limit: 1 });
  return items.length > 0;
}
