import { isKnown } from "../../access/acquaintance.ts";
import { findListingRules } from "../../access/listed-repositories.ts";
import { findTeamAccess } from "../../access/organization-access.ts";
import {
  findShownRepositories,
  isVisibleByGrant,
  noVisibleRepositories,
  type VisibleRepositories,
} from "../../access/visible-repositories.ts";
import type { Actor } from "../../actor.ts";
import { defined } from "../../defined.ts";
import type { Forge } from "../../forge.ts";
import { ownerKey } from "../../owner/owner.table.ts";
import type { PageRequest } from "../../page.ts";
import { listStarsOfUser } from "../../star/star.ts";
import type { Team } from "../../team/team.table.ts";
import { findOwner } from "../../user/find.ts";
import type { User } from "../../user/user.table.ts";
import type { RepositorySort } from "../repository.index.ts";
import { listMatchingRepositories, type RepositoryListing } from "./page.ts";
import type { RepositoryFilter, RepositoryView } from "./repository-filter.ts";

/** A search; absent members filter nothing. */
export interface RepositorySearch {
  /** A part of the name, or `owner/` and a part of the name; commas separate alternatives. */
  readonly keyword?: string;
  /** Looks for the keyword among topics alone. */
  readonly isTopic?: boolean;
  /** Looks for it in descriptions and in parts of topics, too. */
  readonly includesDescriptions?: boolean;
  /**
   * Repositories that this user owns or, as far as the caller may know, was given rights on; with `isExclusive` only
   * those that the user owns.
   */
  readonly userId?: number;
  readonly isExclusive?: boolean;
  /** Repositories of this team; none for callers who are not in it. */
  readonly teamId?: number;
  readonly mode?: "source" | "fork" | "mirror" | "collaborative";
  readonly isPrivate?: boolean;
  readonly isTemplate?: boolean;
  readonly isArchived?: boolean;
  /** Only repositories that this user starred, as far as the caller may know of the user. */
  readonly starredBy?: number;
  /** This owner's repositories come first, each half in the order. */
  readonly ownerFirst?: number;
  readonly sort: RepositorySort;
}

/** Repositories of the instance that the caller may see. */
export async function searchRepositories(
  forge: Forge,
  actor: Actor | undefined,
  asked: RepositorySearch,
  page: PageRequest,
): Promise<RepositoryListing> {
  const { userId, teamId, mode } = asked;
  const [rules, anyTeam, words, visible, starred] = await Promise.all([
    findListingRules(forge, actor),
    findAnyTeam(forge, actor, teamId),
    findWords(forge, actor, asked),
    userId === undefined || asked.isExclusive === true
      ? noVisibleRepositories
      : findShownRepositories(forge, actor, userId),
    asked.starredBy === undefined ? undefined : findStarred(forge, actor, asked.starredBy),
  ]);
  const team = anyTeam ?? findOwnTeam(rules.visible, teamId);
  const isOf = (repository: RepositoryView): boolean => {
    if (teamId !== undefined && team === undefined) return false;
    if (team?.includesAll === true && repository.ownerId !== team.organizationId) return false;
    if (userId === undefined) return true;
    const isOwn = repository.ownerId === userId;
    return isOwn ? mode !== "collaborative" : isVisibleByGrant(visible, repository);
  };
  const { ownerFirst, sort } = asked;
  const order = ownerFirst === undefined ? sort : { ...sort, ownerFirst };
  return listMatchingRepositories(forge, actor, page, order, rules, {
    ...modes[mode ?? "any"],
    ...words,
    ...(team === undefined || team.includesAll ? {} : { teamId: team.id }),
    ...defined({
      ids: starred,
      isPrivate: asked.isPrivate,
      isTemplate: asked.isTemplate,
      isArchived: asked.isArchived,
    }),
    ...(userId === undefined && teamId === undefined ? { surely: rules.open } : {}),
    accepts: (repository) => isOf(repository) && rules.isListed(repository),
  });
}

type AskedTeam = Pick<Team, "id" | "includesAll" | "organizationId">;

/** The team that a site administrator asks for, whichever it is; undefined for other callers. */
async function findAnyTeam(
  forge: Forge,
  actor: Actor | undefined,
  teamId: number | undefined,
): Promise<AskedTeam | undefined> {
  if (teamId === undefined || actor?.user.isAdmin !== true) return undefined;
  return (await findTeamAccess(forge, actor, teamId))?.team;
}

/** The team of this id among those that the caller is in. */
function findOwnTeam({ teams }: VisibleRepositories, teamId: number | undefined): AskedTeam | undefined {
  for (const [organizationId, own] of teams) {
    const team = own.find(({ id }) => id === teamId);
    if (team !== undefined) return { ...team, organizationId };
  }
  return undefined;
}

/** The fields that a search looks for its keyword in; the first part of `owner/name` restricts the owner. */
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
  const owner = await findOwner(forge, actor, ownerName);
  return { keyword: name, ownerIds: new Set(owner === undefined ? [] : [owner.id]) };
}

/**
 * A user's stars; none of a user whom the caller may not know of, and of others only repositories that everybody may
 * see.
 */
async function findStarred(
  forge: Forge,
  actor: Actor | undefined,
  userId: number,
): Promise<ReadonlySet<number>> {
  const user = await forge.table.get<User>(ownerKey(userId));
  const isSelf = actor?.user.id === userId;
  if (forge.config.disableStars || !(isSelf || (await isKnown(forge, actor, user)))) return new Set();
  return new Set((await listStarsOfUser(forge, userId)).ids);
}

const modes: Readonly<Record<NonNullable<RepositorySearch["mode"]> | "any", RepositoryFilter>> = {
  any: {},
  source: { isFork: false, isMirror: false },
  fork: { isFork: true },
  mirror: { isMirror: true },
  collaborative: { isMirror: false },
};
