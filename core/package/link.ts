import { attempts } from "../concurrency/attempts.ts";
import { badRequest, conflict, isForgeError } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { type UsageHolder, usageHolderOf, usageWrites } from "../quota/usage.ts";
import { equals } from "../table/condition.ts";
import { type Item, put, remove, update, type Write } from "../table/write.ts";
import { type Package, packageKey, packageLinkKey } from "./package.table.ts";
import { getPackage } from "./package.ts";

/** The row of a package at its repository. */
export type PackageLink = Item & Pick<Package, "ownerId" | "type" | "name"> & { readonly packageId: number };

/** The holder that counts the bytes of a package: its repository, or its owner; "gone" while its repository is being deleted. */
export async function packageHolder(forge: Forge, found: Package): Promise<UsageHolder | "gone"> {
  const { ownerId, id: packageId, repositoryId } = found;
  if (repositoryId === undefined) return { ownerId, packageId };
  try {
    return await usageHolderOf(forge, repositoryId);
  } catch (error) {
    if (isForgeError(error, "not-found")) return "gone";
    throw error;
  }
}

/** The writes that link a package, for a transaction that checks the package. */
export const linkWrite = (
  { id: packageId, ownerId, type, name }: Pick<Package, "id" | "ownerId" | "type" | "name">,
  repositoryId: number,
): Write =>
  put({
    ...packageLinkKey(repositoryId, packageId),
    packageId,
    ownerId,
    type,
    name,
    _v: 1,
  } satisfies PackageLink);

/**
 * Links a package to a repository of its owner: from then on it counts there. 400 when it is linked already, NotFound
 * when either is gone.
 */
export async function linkPackage(forge: Forge, named: Package, repositoryId: number): Promise<void> {
  for await (const _attempt of attempts()) {
    const current = await getPackage(forge, named);
    if (current.repositoryId !== undefined) throw badRequest("the package is linked to a repository already");
    const { id, ownerId, type, name, bytes, v } = current;
    const holder = await usageHolderOf(forge, repositoryId);
    const { committed } = await forge.table.transact([
      update(packageKey(ownerId, type, name), { set: { repositoryId }, add: { v: 1 } }, equals({ id, v })),
      linkWrite(current, repositoryId),
      ...usageWrites([
        { ownerId, packageId: id, name: "packages", bytes: -bytes },
        { ...holder, name: "packages", bytes },
      ]),
    ]);
    if (committed) return;
  }
  throw beingChanged();
}

/** Unlinks a package; 400 when it is not linked, NotFound when it is gone. */
export async function unlinkPackage(forge: Forge, named: Package): Promise<void> {
  const current = await getPackage(forge, named);
  if (current.repositoryId === undefined) throw badRequest("the package is linked to no repository");
  await endLink(forge, current, current.repositoryId);
}

/** Ends the link of a package to this repository, which may be gone, if there is one. It may be repeated. */
export async function endLink(
  forge: Forge,
  named: Pick<Package, "ownerId" | "type" | "name">,
  repositoryId: number,
): Promise<void> {
  for await (const _attempt of attempts()) {
    const current = await forge.table.get<Package>(packageKey(named.ownerId, named.type, named.name));
    if (current?.repositoryId !== repositoryId) return;
    const { id, ownerId, type, name, bytes, v } = current;
    const holder = await packageHolder(forge, current);
    // The card of a deleted repository is gone, with all that it counted.
    const former = holder === "gone" ? [] : [{ ...holder, name: "packages", bytes: -bytes } as const];
    const { committed } = await forge.table.transact([
      update(
        packageKey(ownerId, type, name),
        { unset: ["repositoryId"], add: { v: 1 } },
        equals({ id, v, repositoryId }),
      ),
      remove(packageLinkKey(repositoryId, id)),
      ...usageWrites([...former, { ownerId, packageId: id, name: "packages", bytes }]),
    ]);
    if (committed) return;
  }
  throw beingChanged();
}

export const beingChanged = () => conflict("the package is being changed by others; try again");
