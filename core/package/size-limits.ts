import type { Actor } from "../actor.ts";
import { forbidden } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { Owner } from "../owner/owner.ts";
import { type OwnerUsage, usagePrefix } from "../quota/quota.table.ts";
import { ownerPartition } from "../repository/repository.table.ts";
import { countPackageVersions } from "./list.ts";
import type { PackageType } from "./package.table.ts";

/** The largest file of a package, whatever the installation allows of its kind. */
export const mostPackageBytes = ({ config }: Pick<Forge, "config">): number =>
  config.packageMaxSizeMib * 2 ** 20;

/**
 * 403 when the installation lets an owner have no such file: too large of its kind, or too much with it (semantics §57).
 * Site administrators may. Two at once may both be the last.
 */
export async function requirePackageRoom(
  forge: Forge,
  actor: Actor,
  { id, name }: Owner,
  { type, bytes }: { readonly type: PackageType; readonly bytes: number },
): Promise<void> {
  if (actor.user.isAdmin) return;
  const { limitSizeGeneric, limitSizeNpm, limitTotalOwnerCount, limitTotalOwnerSize } = forge.config;
  const mostOfType = type === "npm" ? limitSizeNpm : limitSizeGeneric;
  if (isOver(bytes, mostOfType)) {
    throw forbidden(`a file of a package of this kind has at most ${mostOfType} bytes here`);
  }
  if (limitTotalOwnerCount >= 0 && (await countPackageVersions(forge, id)) >= limitTotalOwnerCount) {
    throw forbidden(`${name} has as many versions of packages as an owner may have here`);
  }
  if (limitTotalOwnerSize >= 0 && isOver((await usedBytes(forge, id)) + bytes, limitTotalOwnerSize)) {
    throw forbidden(
      `${name} would have more than the ${limitTotalOwnerSize} bytes that an owner may have here`,
    );
  }
}

const isOver = (value: number, most: number): boolean => most >= 0 && value > most;

async function usedBytes({ table }: Forge, ownerId: number): Promise<number> {
  const parts = await table.queryAll<OwnerUsage>({ pk: ownerPartition(ownerId), prefix: usagePrefix });
  return parts.reduce((sum, { packages = 0 }) => sum + packages, 0);
}
