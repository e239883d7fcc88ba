import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import type { SureTest } from "../list-index/entry-kind.ts";
import { readGroups } from "../list-index/list-index.ts";
import { byVisibility, ownerIndex, visibilityGroup } from "../owner/owner.index.ts";
import type { Visibility } from "../owner/owner.table.ts";
import { visibilities } from "../owner/owner-entry.ts";
import { codeUnit } from "./enabled-units.ts";
import { findAcquaintances } from "./known-users.ts";
import {
  findVisibleRepositoriesOf,
  maySee,
  noVisibleRepositories,
  type VisibleRepositories,
  type VisibleRepository,
} from "./visible-repositories.ts";

/** The facts about a repository that lists know without reading it. */
export interface ListedRepository extends VisibleRepository {
  readonly isPrivate: boolean;
}

/** The rules of a caller's lists, read once and strongly for each list. */
export interface ListingRules {
  readonly visible: VisibleRepositories;
  /** Whether the caller may know of an owner. */
  mayKnow(ownerId: number): boolean;
  /**
   * Whether a repository may be listed, from what the list index knows. The index finds and counts candidates; their
   * rights are computed anew from the repository before they are shown (semantics §3.3).
   */
  isListed(repository: ListedRepository): boolean;
  /** The repositories that all callers like this one may list: public, with code, of owners who are not hidden. */
  readonly open?: SureTest<ListedRepository> | undefined;
}

/** The rules for the caller's lists of repositories of any owner. */
export async function findListingRules(forge: Forge, actor: Actor | undefined): Promise<ListingRules> {
  const [own, limit] = await Promise.all([findOwnRules(forge, actor), findTokenLimit(forge, actor)]);
  if (limit === undefined) return own;
  return {
    visible: own.visible,
    mayKnow: (ownerId) => own.mayKnow(ownerId) && limit.mayKnow(ownerId),
    isListed: (repository) => own.isListed(repository) && limit.isListed(repository),
  };
}

/** The part of any list that a token limited to public things may see. Undefined when the token has no such limit. */
export const findTokenLimit = async (
  forge: Forge,
  actor: Actor | undefined,
): Promise<Omit<ListingRules, "visible"> | undefined> =>
  actor?.grant?.isPublicOnly === true ? findOwnRules(forge, undefined) : undefined;

const openBut = (hidden: HiddenOwners): SureTest<ListedRepository> => ({
  ...hidden,
  holds: ({ isPrivate, ownerId, units }) => !isPrivate && (units & codeUnit) !== 0 && !hidden.has(ownerId),
});

interface HiddenOwners {
  /** From whom they are hidden. */
  readonly name: string;
  /** Changes, in this process, when others may be hidden. */
  readonly version: string;
  has(ownerId: number): boolean;
  /** False only when none of them is a user. */
  readonly mayHaveUsers: boolean;
}

async function findOwnRules(forge: Forge, actor: Actor | undefined): Promise<ListingRules> {
  if (actor?.user.isAdmin === true)
    return { visible: noVisibleRepositories, mayKnow: () => true, isListed: () => true };
  const [visible, hidden] = await Promise.all([
    findVisibleRepositoriesOf(forge, actor),
    findHiddenOwners(forge, actor),
  ]);
  const acquaintances =
    hidden.mayHaveUsers && actor !== undefined
      ? await findAcquaintances(forge, actor, visible)
      : new Set<number>();
  const seesPublic = actor?.user.isRestricted !== true;
  const mayKnow = (ownerId: number) =>
    !hidden.has(ownerId) || visible.teams.has(ownerId) || acquaintances.has(ownerId);
  return {
    visible,
    mayKnow,
    isListed: (repository) =>
      repository.ownerId === actor?.user.id ||
      maySee(visible, repository, seesPublic && !repository.isPrivate && mayKnow(repository.ownerId)),
    open: seesPublic ? openBut(hidden) : undefined,
  };
}

/**
 * The users among these that the caller may know of, in their order: for lists that show users beside something else.
 */
export async function findKnownUsers(
  forge: Forge,
  actor: Actor | undefined,
  ids: readonly number[],
): Promise<number[]> {
  if (ids.length === 0) return [];
  const { mayKnow } = await findListingRules(forge, actor);
  return ids.filter((id) => id === actor?.user.id || mayKnow(id));
}

/** Owners that strangers like the caller may not know of. The caller's own id may be among them. */
async function findHiddenOwners(forge: Forge, actor: Actor | undefined): Promise<HiddenOwners> {
  const isRestricted = actor?.user.isRestricted === true;
  const hidden: readonly Visibility[] =
    actor === undefined || isRestricted ? ["limited", "private"] : ["private"];
  const users = bitsOf(hidden.map((visibility) => visibilityGroup(false, visibility)));
  const hiddenOrganizations = isRestricted ? visibilities : hidden;
  const organizations = bitsOf(hiddenOrganizations.map((visibility) => visibilityGroup(true, visibility)));
  const groups = await readGroups(forge, ownerIndex, byVisibility);
  return {
    name: hidden.join(),
    version: groups.version,
    has: (id) => ((users | organizations) & (1 << groups.groupOf(id))) !== 0,
    mayHaveUsers: groups.mayHave(users),
  };
}

const bitsOf = (groups: readonly number[]): number => groups.reduce((bits, group) => bits | (1 << group), 0);
