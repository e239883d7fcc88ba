import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import { type NameGuard, nameGuardKey, ownerKey } from "../owner/owner.table.ts";
import type { Owner } from "../owner/owner.ts";
import {
  type PendingTransfer,
  type Repository,
  type RepositoryNameGuard,
  repositoryKey,
  repositoryNameKey,
} from "../repository/repository.table.ts";
import { type Item, keyText, type TableKey } from "../table/write.ts";
import { isAcquainted, nobody } from "./acquaintance.ts";
import { enabledUnits } from "./enabled-units.ts";
import { collaborationFrom, collaborationKeys, type Grants, teamKeys, teamsFrom } from "./grants.ts";
import { forgetNames, type KnownNames, recallNames, rememberNames } from "./internal/remembered-names.ts";
import { accessMode, hasAccess, type Rights } from "./modes.ts";
import { isCreatorIn } from "./organization-access.ts";
import { rightsOn } from "./rights.ts";
import { maySeeOrganization, maySeeUser } from "./visibility.ts";

/** A repository with its owner and what the caller may do on it, all read strongly in this request. */
export interface RepositoryAccess {
  readonly repository: Repository;
  readonly owner: Owner;
  readonly rights: Rights;
}

/** The same with the items that grant the caller their rights, as they were read; none when they make no difference. */
export interface FoundAccess extends RepositoryAccess {
  readonly grants: readonly Item[];
}

type Found = ReadonlyMap<string, Item>;

/**
 * The repository of this owner and name, in any case. Undefined when it is absent, being deleted or hidden from the
 * caller, who can't tell which (D-HIDDEN), not even by the time: all three read the same. A former name of the
 * repository or its owner leads to it, whoever owns it now. It takes one round trip when this caller was let in under
 * these names before, else three; a former name or a hidden owner takes one or two more.
 */
export async function findAccess(
  forge: Forge,
  actor: Actor | undefined,
  ownerName: string,
  name: string,
): Promise<RepositoryAccess | undefined> {
  const known = recallNames(forge, actor, ownerName, name);
  const remembered =
    known === undefined ? undefined : await findRemembered(forge, actor, ownerName, name, known);
  if (remembered !== undefined) return remembered;
  forgetNames(forge, actor, ownerName, name);
  const guard = await forge.table.get<NameGuard>(nameGuardKey(ownerName));
  const ownerId = guard?.ownerId ?? nobody;
  const nameKey = repositoryNameKey(ownerId, name);
  const found = await forge.table.getAll(ownerStepKeys(actor, guard, name));
  const nameGuard = found.get(keyText(nameKey)) as RepositoryNameGuard | undefined;
  const repositoryId = nameGuard?.repositoryId ?? nobody;
  const isFormer = nameGuard?.moved === true;
  // The repository alone says who owns it: it may have moved on since it left this name.
  const likelyOwnerId = (isFormer ? nameGuard.ownerId : undefined) ?? ownerId;
  const { access, isOwnerKnown } = await findIn(forge, actor, repositoryId, likelyOwnerId, {
    ownerId,
    found,
  });
  const isLasting = !isFormer && access?.repository.transfer === undefined;
  if (access !== undefined && !isOwnerKnown && isLasting) {
    rememberNames(forge, actor, ownerName, name, { ownerId, ownerKind: access.owner.kind, repositoryId });
  }
  return access;
}

/** The keys that `findAccessById` reads when the owner is known. */
export const accessKeysById = (actor: Actor, repositoryId: number, ownerId: number): TableKey[] => [
  repositoryKey(repositoryId),
  ...collaborationKeys(actor, repositoryId, ownerId),
  ...ownerKeysFor(actor, ownerId),
];

const ownerKeysFor = (actor: Actor | undefined, ownerId: number): TableKey[] => [
  ownerKey(ownerId),
  ...teamKeys(actor, ownerId),
];

/** Like `findAccess`, by the repository's id; one request less when the owner is known already. */
export async function findAccessById(
  forge: Forge,
  actor: Actor | undefined,
  repositoryId: number,
  likelyOwnerId?: number,
): Promise<FoundAccess | undefined> {
  return (await findIn(forge, actor, repositoryId, likelyOwnerId)).access;
}

/** An owner, and what was read about them already: the items that `ownerKeysFor` names. */
interface ReadOwner {
  readonly ownerId: number;
  readonly found: Found;
}

/**
 * Like `findAccessById`; `isOwnerKnown` as in `isUserKnown`. An absent repository, a hidden one and one that moved to
 * another owner read as much: its owner, and whether the caller may know of them.
 */
async function findIn(
  forge: Forge,
  actor: Actor | undefined,
  repositoryId: number,
  likelyOwnerId?: number,
  read?: ReadOwner,
): Promise<{ readonly access: FoundAccess | undefined; readonly isOwnerKnown: boolean }> {
  const { table } = forge;
  const key = repositoryKey(repositoryId);
  const isUnread = likelyOwnerId !== undefined && likelyOwnerId !== read?.ownerId;
  const first = await table.getAll([
    key,
    ...collaborationKeys(actor, repositoryId, likelyOwnerId),
    ...(isUnread ? ownerKeysFor(actor, likelyOwnerId) : []),
  ]);
  const ownerId = (first.get(keyText(key)) as Repository | undefined)?.ownerId ?? nobody;
  const isRead = ownerId === likelyOwnerId || ownerId === read?.ownerId;
  const second = isRead ? read?.found : await table.getAll(ownerKeysFor(actor, ownerId));
  const items = new Map([...(read?.found ?? []), ...first, ...(second ?? [])]);
  const owner = items.get(keyText(ownerKey(ownerId))) as Owner | undefined;
  const isOwnerKnown = await isUserKnown(forge, actor, owner, items);
  const access =
    accessIn(forge, actor, repositoryId, { owner, isOwnerKnown, found: items }) ??
    (await accessOfRecipient(forge, actor, repositoryId, owner, items));
  if (access === undefined) {
    if (isRead) await table.getAll(ownerKeysFor(actor, nobody));
    const isAsked = owner === undefined || !maySeeOwner(actor, owner, items);
    if (!isAsked) await isAcquainted(forge, actor, nobody);
  }
  return { access, isOwnerKnown };
}

/**
 * The repositories among these that the caller may see, by id, in two requests for each hundred or so. A hidden owner
 * takes a few more.
 */
export async function findAccessesById(
  forge: Forge,
  actor: Actor | undefined,
  ids: readonly number[],
): Promise<Map<number, RepositoryAccess>> {
  const first = await forge.table.getAll(
    ids.flatMap((id) => [repositoryKey(id), ...collaborationKeys(actor, id)]),
  );
  const ownerOf = (id: number) => (first.get(keyText(repositoryKey(id))) as Repository | undefined)?.ownerId;
  const ownerIds = [...new Set(ids.flatMap((id) => ownerOf(id) ?? []))];
  const second = await forge.table.getAll(ownerIds.flatMap((id) => [ownerKey(id), ...teamKeys(actor, id)]));
  const items = new Map([...first, ...second]);
  const owners = new Map(
    await Promise.all(
      ownerIds.map(async (id) => {
        const owner = second.get(keyText(ownerKey(id))) as Owner | undefined;
        return [id, { owner, isKnown: await isUserKnown(forge, actor, owner, second) }] as const;
      }),
    ),
  );
  const found = await Promise.all(
    ids.map(async (id) => {
      const { owner, isKnown = false } = owners.get(ownerOf(id) ?? nobody) ?? {};
      const access =
        accessIn(forge, actor, id, { owner, isOwnerKnown: isKnown, found: items }) ??
        (await accessOfRecipient(forge, actor, id, owner, items));
      return access === undefined ? [] : [[id, access] as const];
    }),
  );
  return new Map(found.flat());
}

/** The keys that say what the caller is to an owner, and which repository a name stands for there. */
const ownerStepKeys = (actor: Actor | undefined, guard: NameGuard | undefined, name: string): TableKey[] => {
  const ownerId = guard?.ownerId ?? nobody;
  const teams = guard?.kind === "user" ? [] : teamKeys(actor, ownerId);
  return [ownerKey(ownerId), repositoryNameKey(ownerId, name), ...teams];
};

/** What `findRemembered` reads. */
const rememberedKeys = (
  actor: Actor | undefined,
  ownerName: string,
  name: string,
  { ownerId, ownerKind, repositoryId }: KnownNames,
): TableKey[] => [
  nameGuardKey(ownerName),
  repositoryNameKey(ownerId, name),
  ownerKey(ownerId),
  repositoryKey(repositoryId),
  ...(ownerKind === "user" ? [] : teamKeys(actor, ownerId)),
  ...collaborationKeys(actor, repositoryId, ownerId),
];

/**
 * The keys that `findAccess` reads first, so that they can be read together with the caller's own items. When this
 * caller was let in under these names before: all of them, and those `beside`; else the owner's name alone. Of the
 * caller only the id is needed.
 */
export function keysAhead(
  forge: Forge,
  actor: Actor | undefined,
  ownerName: string,
  name: string,
  beside: (repositoryId: number) => readonly TableKey[],
): TableKey[] {
  const known = recallNames(forge, actor, ownerName, name);
  if (known === undefined) return [nameGuardKey(ownerName)];
  return [...rememberedKeys(actor, ownerName, name, known), ...beside(known.repositoryId)];
}

/** The keys that it reads next, once the owner's name is known: the second of three round trips. */
export const nextKeysAhead = (
  actor: Actor | undefined,
  ownerName: string,
  name: string,
  found: Found,
): TableKey[] =>
  ownerStepKeys(actor, found.get(keyText(nameGuardKey(ownerName))) as NameGuard | undefined, name);

/**
 * Everything in one request, under the ids that the names had before; undefined when the names mean something else now.
 */
async function findRemembered(
  forge: Forge,
  actor: Actor | undefined,
  ownerName: string,
  name: string,
  known: KnownNames,
): Promise<RepositoryAccess | undefined> {
  const { ownerId, repositoryId } = known;
  const [guardKey, nameKey] = [nameGuardKey(ownerName), repositoryNameKey(ownerId, name)];
  const found = await forge.table.getAll(rememberedKeys(actor, ownerName, name, known));
  const guard = found.get(keyText(guardKey)) as NameGuard | undefined;
  const nameGuard = found.get(keyText(nameKey)) as RepositoryNameGuard | undefined;
  const isMoved = nameGuard?.moved === true;
  if (guard?.ownerId !== ownerId || nameGuard?.repositoryId !== repositoryId || isMoved) return undefined;
  const owner = found.get(keyText(ownerKey(ownerId))) as Owner | undefined;
  return accessIn(forge, actor, repositoryId, { owner, isOwnerKnown: false, found });
}

/**
 * Whether a shared organization lets the caller know of a private owner. An absent owner and a hidden organization read
 * as much.
 */
async function isUserKnown(
  forge: Forge,
  actor: Actor | undefined,
  owner: Owner | undefined,
  found: Found,
): Promise<boolean> {
  if (owner !== undefined && maySeeOwner(actor, owner, found)) return false;
  const isKnown = await isAcquainted(forge, actor, owner?.id ?? nobody);
  return isKnown && owner?.kind === "user";
}

/** Whether the caller may know of an owner, as far as the items read with the owner tell. */
function maySeeOwner(actor: Actor | undefined, owner: Owner, found: Found): boolean {
  return owner.kind === "user"
    ? maySeeUser(actor, owner)
    : maySeeOrganization(actor, owner, teamsFrom(actor, owner.id, found).length > 0);
}

/** What was read of a repository, its owner and the caller's grants. */
interface ReadGrants {
  readonly owner: Owner | undefined;
  /** As in `isUserKnown`. */
  readonly isOwnerKnown: boolean;
  readonly found: Found;
}

/** The caller's access by their grants; undefined when the repository is gone, or they have none. */
function accessIn(
  forge: Forge,
  actor: Actor | undefined,
  repositoryId: number,
  { owner, isOwnerKnown, found }: ReadGrants,
): FoundAccess | undefined {
  const repository = found.get(keyText(repositoryKey(repositoryId))) as Repository | undefined;
  if (repository?.state !== "live" || owner === undefined || repository.ownerId !== owner.id)
    return undefined;
  const teams = owner.kind === "user" ? [] : teamsFrom(actor, owner.id, found);
  const grants: Grants = {
    teams,
    collaboration: collaborationFrom(actor, repository, teams, found),
    isAcquainted: isOwnerKnown,
  };
  const rights = rightsOn(forge, actor, repository, owner, grants);
  if (!hasAccess(rights)) return undefined;
  const keys = [...collaborationKeys(actor, repositoryId, owner.id), ...teamKeys(actor, owner.id)];
  return { repository, owner, rights, grants: keys.flatMap((key) => found.get(keyText(key)) ?? []) };
}

/**
 * Whether a user may accept or reject a transfer: its recipient, or somebody who may create repositories in the
 * receiving organization.
 */
export const isRecipient = async (
  forge: Forge,
  { recipientKind, recipientId }: PendingTransfer,
  userId: number,
): Promise<boolean> =>
  recipientKind === "user" ? recipientId === userId : isCreatorIn(forge, recipientId, userId);

/**
 * A recipient may read a repository that is offered to them until they decide (semantics §24.6), whatever other rights
 * they have. Only hidden repositories offered to an organization take one request more.
 */
async function accessOfRecipient(
  forge: Forge,
  actor: Actor | undefined,
  repositoryId: number,
  owner: Owner | undefined,
  found: Found,
): Promise<FoundAccess | undefined> {
  const repository = found.get(keyText(repositoryKey(repositoryId))) as Repository | undefined;
  if (repository?.transfer === undefined || actor === undefined) return undefined;
  if (repository.state !== "live" || repository.ownerId !== owner?.id) return undefined;
  if (!(await isRecipient(forge, repository.transfer, actor.user.id))) return undefined;
  const rights = { base: accessMode.read, enabledUnits: enabledUnits(forge.config, repository) };
  return { repository, owner, rights, grants: [] };
}
