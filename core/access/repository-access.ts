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
import { type Item, keyText, type TableKey } from "../table.ts";
import { isAcquainted, nobody } from "./acquaintance.ts";
import { enabledUnits } from "./enabled-units.ts";
import { accessMode, hasAccess, type Rights } from "./modes.ts";
import { isCreatorIn } from "./organization-access.ts";
import { forgetNames, type KnownNames, recallNames, rememberNames } from "./remembered-names.ts";
import { rightsOn } from "./rights.ts";
import { collaborationFrom, collaborationKeys, type Standing, teamKeys, teamsFrom } from "./standing.ts";
import { maySeeOrganization, maySeeUser } from "./visibility.ts";

/** A repository with its owner and what the caller may do on it, all read strongly in this request. */
export interface RepositoryAccess {
  readonly repository: Repository;
  readonly owner: Owner;
  readonly rights: Rights;
}

/** The same with the items that give the caller his standing, as they were read; none where it makes no difference. */
export interface FoundAccess extends RepositoryAccess {
  readonly standing: readonly Item[];
}

type Found = ReadonlyMap<string, Item>;

/**
 * The repository of this owner and name, whatever their case; undefined when it is absent, being deleted, or hidden
 * from the caller. The three can't be told apart (D-HIDDEN), not by the time either: the same is read for all. A
 * former name of it or of the owner leads to it, too, whoever owns it by now. One round trip where this caller was let
 * in under these names before, else three; a former name, or an owner who hides himself, takes one or two more.
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
  // Whose the repository is says it alone: it may have moved on since it left this name.
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

/** What `findAccessById` reads where the owner is the one who is known. */
export const accessKeysById = (actor: Actor, repositoryId: number, ownerId: number): TableKey[] => [
  repositoryKey(repositoryId),
  ...collaborationKeys(actor, repositoryId, ownerId),
  ...ownerKeysFor(actor, ownerId),
];

const ownerKeysFor = (actor: Actor | undefined, ownerId: number): TableKey[] => [
  ownerKey(ownerId),
  ...teamKeys(actor, ownerId),
];

/** As `findAccess`, by the repository's id; in one request less where the owner is known already. */
export async function findAccessById(
  forge: Forge,
  actor: Actor | undefined,
  repositoryId: number,
  likelyOwnerId?: number,
): Promise<FoundAccess | undefined> {
  return (await findIn(forge, actor, repositoryId, likelyOwnerId)).access;
}

/** An owner, and what was read of him already: what `ownerKeysFor` names. */
interface ReadOwner {
  readonly ownerId: number;
  readonly found: Found;
}

/**
 * As `findAccessById`; `isOwnerKnown` as `isUserKnown` says. Where the caller is not let in, as much is read whether the
 * repository is absent, hidden, or moved on to another owner: its owner, and whether the caller may know of him.
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
    accessIn(forge, actor, repositoryId, owner, items, isOwnerKnown) ??
    (await accessOfRecipient(forge, actor, repositoryId, owner, items));
  if (access === undefined) {
    if (isRead) await table.getAll(ownerKeysFor(actor, nobody));
    const isAsked = owner === undefined || !maySeeOwner(actor, owner, items);
    if (!isAsked) await isAcquainted(forge, actor, nobody);
  }
  return { access, isOwnerKnown };
}

/**
 * Those of some repositories that the caller may see, by id, in two requests for each hundred or so; a hidden owner takes
 * a few more.
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
        accessIn(forge, actor, id, owner, items, isKnown) ??
        (await accessOfRecipient(forge, actor, id, owner, items));
      return access === undefined ? [] : [[id, access] as const];
    }),
  );
  return new Map(found.flat());
}

/** What says whom a caller is at an owner's, and which repository a name stands for there. */
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
 * What `findAccess` will read first: all of it under names that this caller was let in by, and `beside` it what is asked
 * of the repository then; else the owner's name. For reading it together with what says who is calling; of the caller
 * his id is enough.
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

/** What it will read next, once the owner's name is known: the second of three round trips. */
export const nextKeysAhead = (
  actor: Actor | undefined,
  ownerName: string,
  name: string,
  found: Found,
): TableKey[] =>
  ownerStepKeys(actor, found.get(keyText(nameGuardKey(ownerName))) as NameGuard | undefined, name);

/** Everything in one request, under the ids that the names had before; undefined when they mean something else now. */
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
  return accessIn(forge, actor, repositoryId, owner, found, false);
}

/**
 * Whether an organization that both are in lets the caller know of a private owner. As much is read where the owner is
 * absent, and where it is an organization that the caller may not know of.
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

/** Whether the caller may know of an owner, as far as what was read with him tells. */
function maySeeOwner(actor: Actor | undefined, owner: Owner, found: Found): boolean {
  return owner.kind === "user"
    ? maySeeUser(actor, owner)
    : maySeeOrganization(actor, owner, teamsFrom(actor, owner.id, found).length > 0);
}

function accessIn(
  forge: Forge,
  actor: Actor | undefined,
  repositoryId: number,
  owner: Owner | undefined,
  found: Found,
  isOwnerKnown: boolean,
): FoundAccess | undefined {
  const repository = found.get(keyText(repositoryKey(repositoryId))) as Repository | undefined;
  if (repository?.state !== "live" || owner === undefined || repository.ownerId !== owner.id)
    return undefined;
  const teams = owner.kind === "user" ? [] : teamsFrom(actor, owner.id, found);
  const standing: Standing = {
    teams,
    collaboration: collaborationFrom(actor, repository, teams, found),
    isAcquainted: isOwnerKnown,
  };
  const rights = rightsOn(forge, actor, repository, owner, standing);
  if (!hasAccess(rights)) return undefined;
  const keys = [...collaborationKeys(actor, repositoryId, owner.id), ...teamKeys(actor, owner.id)];
  return { repository, owner, rights, standing: keys.flatMap((key) => found.get(keyText(key)) ?? []) };
}

/** Whether a user may accept or reject a transfer: its recipient, or who may create repositories in the organization. */
export const isRecipient = async (
  forge: Forge,
  { recipientKind, recipientId }: PendingTransfer,
  userId: number,
): Promise<boolean> =>
  recipientKind === "user" ? recipientId === userId : isCreatorIn(forge, recipientId, userId);

/**
 * Who may take a repository that is offered may read it until then (semantics §24.6), whatever else he was given or has
 * lost. One request more, for hidden repositories that wait for an organization alone.
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
  return { repository, owner, rights, standing: [] };
}
