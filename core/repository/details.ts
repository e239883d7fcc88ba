import { nobody } from "../access/acquaintance.ts";
import { enabledUnits } from "../access/enabled-units.ts";
import { teamKeys, teamsFrom } from "../access/grants.ts";
import type { ListingRules } from "../access/listed-repositories.ts";
import { accessMode, isRepositoryAdmin, type Rights } from "../access/modes.ts";
import { findAccessById, type RepositoryAccess } from "../access/repository-access.ts";
import { mayList, rightsOn } from "../access/rights.ts";
import { maySeeOrganization, maySeeUser } from "../access/visibility.ts";
import { grantsIn } from "../access/visible-repositories.ts";
import type { Actor } from "../actor.ts";
import { notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { readListed } from "../list-index/listed-items.ts";
import { ownerKey } from "../owner/owner.table.ts";
import type { Owner } from "../owner/owner.ts";
import { type Item, keyText } from "../table/write.ts";
import { type Team, teamKey } from "../team/team.table.ts";
import type { User } from "../user/user.table.ts";
import { withOtherCounts } from "./counts.ts";
import {
  cardKey,
  countKeys,
  countsKey,
  numbersOf,
  type Repository,
  type RepositoryNumbers,
  repositoryKey,
} from "./repository.table.ts";

/** A repository with everything that its JSON form shows to one caller. */
export interface RepositoryDetails extends RepositoryNumbers {
  readonly repository: Repository;
  readonly owner: Owner;
  readonly rights: Rights;
  /** The parent of a fork, when the caller may see it; without a parent of its own. */
  readonly parent?: RepositoryDetails;
  /** The pending transfer, when its users still exist and the caller may know of them. */
  readonly transfer?: TransferDetails;
}

/** A pending transfer with the people that it is between. */
export interface TransferDetails {
  readonly doer: User;
  readonly recipient: Owner;
  readonly teams: readonly Team[];
}

/** The names under which a repository is found in lists. */
export interface RepositoryReference {
  readonly repositoryId: number;
  readonly ownerId: number;
  /** The version in the list index; absent when the list was made without it. */
  readonly version?: number | undefined;
  /** The repository, if it was read already. */
  readonly repository?: Repository;
}

/** A resolved repository's details, in one more request; of a fork also its parent, as far as `actor` may see it. */
export async function repositoryDetailsOf(
  forge: Forge,
  access: RepositoryAccess,
  actor?: Actor,
): Promise<RepositoryDetails> {
  const { parentId } = access.repository;
  const found =
    parentId === undefined ? undefined : await findAccessById(forge, actor, parentId, access.owner.id);
  const isShown = found !== undefined && mayList(actor, found);
  const [details, parent] = await Promise.all([
    ownDetailsOf(forge, access, actor),
    isShown ? ownDetailsOf(forge, found, actor) : undefined,
  ]);
  return parent === undefined ? details : { ...details, parent };
}

async function ownDetailsOf(
  forge: Forge,
  access: RepositoryAccess,
  actor: Actor | undefined,
): Promise<RepositoryDetails> {
  const { repository } = access;
  const keys = [cardKey(repository.ownerId, repository.id), ...countKeys(repository)];
  const found = await withOtherCounts(forge.table, [repository], await forge.table.getAll(keys));
  const [details] = await withTransfers(forge, actor, [{ ...access, ...numbersOf(repository, found) }]);
  return details as RepositoryDetails;
}

/**
 * The details with the pending transfer of each, as far as the caller may know of it; no request when none is pending.
 */
async function withTransfers(
  { table }: Forge,
  actor: Actor | undefined,
  all: RepositoryDetails[],
): Promise<RepositoryDetails[]> {
  const keys = all.flatMap(({ repository: { transfer } }) => {
    if (transfer === undefined) return [];
    const { doerId, recipientId, recipientKind, teamIds } = transfer;
    const grants = recipientKind === "user" ? [] : teamKeys(actor, recipientId);
    const teams = teamIds.map((id) => teamKey(recipientId, id));
    return [ownerKey(doerId), ownerKey(recipientId), ...teams, ...grants];
  });
  if (keys.length === 0) return all;
  const found = await table.getAll(keys);
  return all.map((details) => {
    const { transfer } = details.repository;
    const doer = found.get(keyText(ownerKey(transfer?.doerId ?? nobody))) as Owner | undefined;
    const recipient = found.get(keyText(ownerKey(transfer?.recipientId ?? nobody))) as Owner | undefined;
    if (doer?.kind !== "user" || recipient === undefined) return details;
    if (!isShownTo(actor, details, doer, recipient, found)) return details;
    const teams = (transfer?.teamIds ?? []).flatMap(
      (id) => (found.get(keyText(teamKey(recipient.id, id))) as Team | undefined) ?? [],
    );
    return { ...details, transfer: { doer, recipient, teams } };
  });
}

/** The two sides of a transfer know of it; everybody else must be one who may know of both. */
function isShownTo(
  actor: Actor | undefined,
  { rights }: RepositoryDetails,
  doer: User,
  recipient: Owner,
  found: ReadonlyMap<string, Item>,
): boolean {
  if (isRepositoryAdmin(rights) || actor?.user.id === recipient.id) return true;
  if (recipient.kind === "user") return maySeeUser(actor, recipient) && maySeeUser(actor, doer);
  const isMember = teamsFrom(actor, recipient.id, found).length > 0;
  return isMember || (maySeeOrganization(actor, recipient, false) && maySeeUser(actor, doer));
}

/** Details of a repository whose owner the caller has just changed: they may have lost all rights on it. */
export async function detailsOfTransferred(
  forge: Forge,
  actor: Actor,
  repository: Repository,
): Promise<RepositoryDetails> {
  const access = await findAccessById(forge, actor, repository.id, repository.ownerId);
  if (access !== undefined) return repositoryDetailsOf(forge, access, actor);
  const owner = await forge.table.get<Owner>(ownerKey(repository.ownerId));
  if (owner === undefined) throw notFound("the repository is gone already");
  return repositoryDetailsOf(forge, {
    ...{ repository, owner },
    rights: { base: accessMode.none, enabledUnits: enabledUnits(forge.config, repository) },
  });
}

/** Details of a repository that the caller has just made: their rights are read anew when teams determine them. */
export async function detailsOfNew(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  owner: Owner,
): Promise<RepositoryDetails> {
  if (owner.kind === "user")
    return repositoryDetailsOf(
      forge,
      { repository, owner, rights: rightsOn(forge, actor, repository, owner) },
      actor,
    );
  const access = await findAccessById(forge, actor, repository.id, owner.id);
  if (access === undefined) throw notFound("the repository is gone already, or hidden from you");
  return repositoryDetailsOf(forge, access, actor);
}

/** Details of a repository that an administrator of it has just edited to this. */
export const detailsOfEdited = (
  forge: Forge,
  actor: Actor,
  { owner, rights }: RepositoryAccess,
  repository: Repository,
): Promise<RepositoryDetails> => {
  const after = { base: rights.base, enabledUnits: enabledUnits(forge.config, repository) };
  return repositoryDetailsOf(forge, { repository, owner, rights: after }, actor);
};

/**
 * Details of a page of repositories in the given order, in one round trip. Repositories are left out that are gone,
 * hidden from the caller, or changed hands since the list was made. Rights are computed here, from items read here.
 */
export async function findDetailsOfRepositories(
  forge: Forge,
  actor: Actor | undefined,
  references: readonly RepositoryReference[],
  rules: Pick<ListingRules, "visible" | "mayKnow">,
): Promise<RepositoryDetails[]> {
  return withParents(forge, actor, await findOwnDetails(forge, actor, references, rules), rules);
}

/**
 * Forks with their parents, in two round trips when there are any. The list may have assumed that the caller knows its
 * owners; other owners must be known to everybody.
 */
async function withParents(
  forge: Forge,
  actor: Actor | undefined,
  all: RepositoryDetails[],
  { visible }: Pick<ListingRules, "visible">,
): Promise<RepositoryDetails[]> {
  const keys = all.flatMap(({ repository: { parentId } }) =>
    parentId === undefined ? [] : [repositoryKey(parentId)],
  );
  if (keys.length === 0) return all;
  const found = await forge.table.getAll<Repository>(keys);
  const references = [...found.values()].map((repository) => {
    return { repositoryId: repository.id, ownerId: repository.ownerId, repository };
  });
  const parents = await findOwnDetails(forge, actor, references, { visible, mayKnow: () => false });
  const byId = new Map(parents.map((parent) => [parent.repository.id, parent]));
  return all.map((details) => {
    const parent = byId.get(details.repository.parentId ?? nobody);
    return parent === undefined ? details : { ...details, parent };
  });
}

/** As `findDetailsOfRepositories`, without what forks were forked from. */
async function findOwnDetails(
  forge: Forge,
  actor: Actor | undefined,
  references: readonly RepositoryReference[],
  rules: Pick<ListingRules, "visible" | "mayKnow">,
): Promise<RepositoryDetails[]> {
  const [visible, read] = await Promise.all([
    findAllVisible(forge, actor, references, rules),
    forge.table.getAll(references.flatMap(numberKeys), eventually),
  ]);
  return withNumbers(forge, actor, visible, read);
}

/** The details of repositories that were found for the caller, in the same order, without the parents of forks. */
export async function detailsOfAll(
  forge: Forge,
  actor: Actor | undefined,
  accesses: readonly RepositoryAccess[],
): Promise<RepositoryDetails[]> {
  const keys = accesses.flatMap(({ repository: { id: repositoryId, ownerId } }) =>
    numberKeys({ repositoryId, ownerId }),
  );
  return withNumbers(forge, actor, accesses, await forge.table.getAll(keys, eventually));
}

async function withNumbers(
  forge: Forge,
  actor: Actor | undefined,
  accesses: readonly RepositoryAccess[],
  read: Map<string, Item>,
): Promise<RepositoryDetails[]> {
  const repositories = accesses.map(({ repository }) => repository);
  const found = await withOtherCounts(forge.table, repositories, read, { ...eventually, known: 1 });
  const details = accesses.map((access) => ({ ...access, ...numbersOf(access.repository, found) }));
  return withTransfers(forge, actor, details);
}

/** Counts, sizes and times of the last push in lists may be seconds late (D-LISTED): half a read unit for each item. */
const eventually = { isConsistent: false };
const numberKeys = ({ repositoryId, ownerId }: RepositoryReference) => [
  countsKey(repositoryId, 0),
  cardKey(ownerId, repositoryId),
];

/** As `findDetailsOfRepositories`, without numbers and parents: repositories and owners, read strongly. */
export async function findAllVisible(
  forge: Forge,
  actor: Actor | undefined,
  references: readonly RepositoryReference[],
  rules: Pick<ListingRules, "visible" | "mayKnow">,
): Promise<RepositoryAccess[]> {
  const unread = references.filter(({ repository }) => repository === undefined);
  const found = await readListed(
    forge.table,
    unread.map(({ repositoryId, version }) => ({ ...repositoryKey(repositoryId), version })),
    references.map(({ ownerId }) => ownerKey(ownerId)),
  );
  for (const { repository } of references) if (repository) found.set(keyText(repository), repository);
  return references.flatMap((reference) => visibleOf(forge, actor, reference, found, rules));
}

function visibleOf(
  forge: Forge,
  actor: Actor | undefined,
  { repositoryId, ownerId }: RepositoryReference,
  found: ReadonlyMap<string, Item>,
  { visible, mayKnow }: Pick<ListingRules, "visible" | "mayKnow">,
): RepositoryAccess[] {
  const repository = found.get(keyText(repositoryKey(repositoryId))) as Repository | undefined;
  const owner = found.get(keyText(ownerKey(ownerId))) as Owner | undefined;
  if (repository?.state !== "live" || repository.ownerId !== ownerId || owner === undefined) return [];
  const rights = rightsOn(forge, actor, repository, owner, grantsIn(visible, repository, mayKnow(ownerId)));
  const access = { repository, owner, rights };
  return mayList(actor, access) ? [access] : [];
}
