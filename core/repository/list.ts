import { findListingTest } from "../access/listed-repositories.ts";
import { mayList } from "../access/rights.ts";
import type { Actor } from "../actor.ts";
import { list } from "../directory/directory.ts";
import {
  type RepositoryFilter,
  type RepositorySort,
  repositoryDirectory,
} from "../directory/repositories.ts";
import type { Forge } from "../forge.ts";
import type { User } from "../user/user.table.ts";
import { findAllDetails, type RepositoryDetails, type RepositoryReference } from "./details.ts";
import { cardPrefix, ownerPartition, type RepositoryCard } from "./repository.table.ts";

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
  readonly keyword?: string;
  /** Looks for the keyword among topics alone. */
  readonly isTopic?: boolean;
  readonly includesDescriptions?: boolean;
  /** Repositories that this user owns or was given rights on. */
  readonly userId?: number;
  readonly mode?: "source" | "fork" | "mirror" | "collaborative";
  readonly isPrivate?: boolean;
  readonly isTemplate?: boolean;
  readonly isArchived?: boolean;
  readonly sort: RepositorySort;
}

/** Repositories of the instance that the caller may see. */
export async function search(
  forge: Forge,
  actor: Actor | undefined,
  asked: RepositorySearch,
  page: ListPage,
): Promise<RepositoryListing> {
  const isListed = await findListingTest(forge, actor);
  const { userId, mode, keyword, isTopic = false, includesDescriptions = false } = asked;
  // Rights that were given to a user on repositories of others are not kept yet: what he owns is all that he has.
  const isOthersOnly = mode === "collaborative" && userId !== undefined;
  return listed(forge, actor, page, asked.sort, {
    ...modes[mode ?? "any"],
    ...(keyword === undefined ? {} : { keyword }),
    searches: { names: !isTopic, topics: isTopic, descriptions: includesDescriptions && !isTopic },
    ...(userId === undefined ? {} : { ownerIds: new Set([userId]) }),
    ...(asked.isPrivate === undefined ? {} : { isPrivate: asked.isPrivate }),
    ...(asked.isTemplate === undefined ? {} : { isTemplate: asked.isTemplate }),
    ...(asked.isArchived === undefined ? {} : { isArchived: asked.isArchived }),
    accepts: (repository) => !isOthersOnly && isListed(repository),
  });
}

const modes: Readonly<Record<NonNullable<RepositorySearch["mode"]> | "any", RepositoryFilter>> = {
  any: {},
  source: { isFork: false, isMirror: false },
  fork: { isFork: true },
  mirror: { isMirror: true },
  collaborative: { isMirror: false },
};

/**
 * The caller's own repositories. Sizes that they are ordered by are those of this moment; elsewhere in the directory
 * they follow within seconds.
 */
export async function listOwn(
  forge: Forge,
  actor: Actor,
  sort: RepositorySort,
  page: ListPage,
): Promise<RepositoryListing> {
  const { user } = actor;
  if (sort.by === "size" || sort.by === "git_size") return listOwnBySize(forge, actor, sort, page);
  const accepts: RepositoryFilter["accepts"] = (repository) => mayList(actor, repository, user);
  return listed(forge, actor, page, sort, { ownerIds: new Set([user.id]), accepts });
}

async function listOwnBySize(
  forge: Forge,
  actor: Actor,
  { isDescending = false }: RepositorySort,
  page: ListPage,
): Promise<RepositoryListing> {
  const cards = await findCards(forge, actor, actor.user);
  const direction = isDescending ? -1 : 1;
  cards.sort((one, other) => direction * (one.gitBytes - other.gitBytes));
  return pageOfCards(forge, actor, actor.user, cards, page);
}

/** Repositories of one owner that the caller may see, by id. The caller may see the owner. */
export async function listOfOwner(
  forge: Forge,
  actor: Actor | undefined,
  owner: User,
  page: ListPage,
): Promise<RepositoryListing> {
  return pageOfCards(forge, actor, owner, await findCards(forge, actor, owner), page);
}

async function findCards(forge: Forge, actor: Actor | undefined, owner: User): Promise<RepositoryCard[]> {
  const cards = await forge.table.queryAll<RepositoryCard>({
    pk: ownerPartition(owner.id),
    prefix: cardPrefix,
  });
  return cards.filter((card) => mayList(actor, card, owner));
}

async function pageOfCards(
  forge: Forge,
  actor: Actor | undefined,
  owner: User,
  cards: readonly RepositoryCard[],
  { page, limit }: ListPage,
): Promise<RepositoryListing> {
  const shown = cards.slice((page - 1) * limit, page * limit);
  const references = shown.map((card) => ({ repositoryId: card.repositoryId, ownerId: owner.id, card }));
  return { items: await findAllDetails(forge, actor, references), total: cards.length };
}

async function listed(
  forge: Forge,
  actor: Actor | undefined,
  { page, limit }: ListPage,
  sort: RepositorySort,
  filter: RepositoryFilter,
): Promise<RepositoryListing> {
  const owners = new Map<number, number>();
  const accepts: RepositoryFilter["accepts"] = (repository) => {
    if (filter.accepts?.(repository) === false) return false;
    owners.set(repository.id, repository.ownerId);
    return true;
  };
  const { ids, total } = await list(forge, repositoryDirectory, {
    filter: { ...filter, accepts },
    sort,
    page,
    limit,
  });
  const references = ids.map(
    (id): RepositoryReference => ({ repositoryId: id, ownerId: owners.get(id) ?? 0 }),
  );
  return { items: await findAllDetails(forge, actor, references), total };
}
