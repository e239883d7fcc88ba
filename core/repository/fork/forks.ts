import { findListingRules } from "../../access/listed-repositories.ts";
import type { Actor } from "../../actor.ts";
import type { Forge } from "../../forge.ts";
import { ownerStays } from "../../owner/deletion.ts";
import { ownerKey } from "../../owner/owner.table.ts";
import type { Owner } from "../../owner/owner.ts";
import type { PageRequest } from "../../page.ts";
import { equals } from "../../table/condition.ts";
import { check, keyText, remove, type Write } from "../../table/write.ts";
import { repositoryCountsWrite } from "../counts.ts";
import { listMatchingRepositories, type RepositoryListing } from "../listing/page.ts";
import {
  type ForkGuard,
  type ForkRow,
  forkGuardKey,
  forkKey,
  forksOf,
  type Repository,
  repositoryKey,
} from "../repository.table.ts";
import { forkGuardWrites } from "./fork-guards.ts";

/** Whether forks of a repository are private: when it is, and when its owner is hidden from some. */
export const hasPrivateForks = (
  { isPrivate }: Pick<Repository, "isPrivate">,
  { visibility }: Pick<Owner, "visibility">,
): boolean => isPrivate || visibility === "private";

/**
 * Whether a fork is private after it has followed its parent: `FORCE_PRIVATE` made it private whatever the parent was,
 * and only an administrator's edit of the fork itself ends this.
 */
export const isPrivateAfter = (
  { config }: Forge,
  fork: Pick<Repository, "isPrivate">,
  { isPrivate }: Pick<ForkPrivacy, "isPrivate">,
): boolean => isPrivate || (config.forcePrivate && fork.isPrivate);

/** Checks that `isPrivate` and the owner of a repository stay as they were read. */
const repositoryStays = ({ id, ownerId, isPrivate }: Repository): Write =>
  check(repositoryKey(id), equals({ state: "live", isPrivate, ownerId }));

/**
 * Checks that `hasPrivateForks` stays as it was read: for the transaction that depends on it. Otherwise a fork of a
 * repository that was hidden meanwhile would stay public.
 */
const privacyStays = (repository: Repository, { visibility }: Pick<Owner, "visibility">): Write[] => [
  repositoryStays(repository),
  check(ownerKey(repository.ownerId), equals({ visibility })),
];

/** The same for the transaction that makes a fork, whose owner must exist then: perhaps the source's own. */
export const forkStays = (source: Repository, owner: Owner, forkOwnerId: number): Write[] =>
  owner.id === forkOwnerId
    ? [repositoryStays(source), ownerStays(forkOwnerId, { visibility: owner.visibility })]
    : [...privacyStays(source, owner), ownerStays(forkOwnerId)];

/** Whether forks of a repository are private, and that this stays so. */
export interface ForkPrivacy {
  readonly parent: Repository;
  readonly isPrivate: boolean;
  readonly stays: readonly Write[];
}

/** Like `hasPrivateForks`, for the repository with this id; undefined when it or its owner is gone. */
export async function findForkPrivacy({ table }: Forge, parentId: number): Promise<ForkPrivacy | undefined> {
  const parent = await table.get<Repository>(repositoryKey(parentId));
  if (parent?.state !== "live") return undefined;
  const owner = await table.get<Owner>(ownerKey(parent.ownerId));
  if (owner === undefined) return undefined;
  return { parent, isPrivate: hasPrivateForks(parent, owner), stays: privacyStays(parent, owner) };
}

/** Forks of a repository that the caller may see, by id. */
export async function listForksOf(
  forge: Forge,
  actor: Actor | undefined,
  { id }: Repository,
  page: PageRequest,
): Promise<RepositoryListing> {
  const [rules, rows] = await Promise.all([
    findListingRules(forge, actor),
    forge.table.queryAll<ForkRow>(forksOf(id)),
  ]);
  if (rows.length === 0) return { items: [], total: 0 };
  const ids = new Set(rows.map(({ forkId }) => forkId));
  return listMatchingRepositories(forge, actor, page, { by: "id" }, rules, {
    isFork: true,
    accepts: (repository) => ids.has(repository.id) && rules.isListed(repository),
  });
}

/** The writes at the parent of a deleted fork; none when the parent is being deleted as well. */
export async function leaveParent(forge: Forge, { id, ownerId, parentId }: Repository): Promise<Write[]> {
  if (parentId === undefined) return [];
  const [parentAt, guardAt] = [repositoryKey(parentId), forkGuardKey(parentId, ownerId)];
  const found = await forge.table.getAll([parentAt, guardAt]);
  const parent = found.get(keyText(parentAt)) as Repository | undefined;
  if (parent?.state !== "live") return [];
  return [
    remove(forkKey(parentId, id)),
    ...forkGuardWrites(
      { id, parentId, ownerId },
      found.get(keyText(guardAt)) as ForkGuard | undefined,
      false,
    ),
    repositoryCountsWrite(parentId, parent.shards, { forks: -1 }),
  ];
}
