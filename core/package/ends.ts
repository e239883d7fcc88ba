import type { Forge } from "../forge.ts";
import { packageSequenceKey } from "../ids.ts";
import type { PartStep } from "../jobs/passes.ts";
import { removePage } from "../lifecycle/remove-page.ts";
import { packageIndexPartition } from "../list-index/list-index.table.ts";
import { type Repository, repositoryKey, repositoryPartition } from "../repository/repository.table.ts";
import type { Item } from "../table/write.ts";
import { endLink, type PackageLink } from "./link.ts";
import {
  type PackageContent,
  packageLinkPrefix,
  packageObject,
  packagesPartition,
  versionsPartition,
} from "./package.table.ts";

const rowsPerStep = 50;
const linksPerStep = 20;

/** Removes some of the packages of an owner who is gone: each row after what it leads to. */
export async function endSomePackages(forge: Forge, ownerId: number): Promise<PartStep> {
  const { table, blobs } = forge;
  const { items, next } = await table.query({ pk: packagesPartition(ownerId), limit: rowsPerStep });
  const objects = items.flatMap((item) => ("object" in item ? [item as PackageContent] : []));
  await blobs.remove(objects.map(({ object }) => packageObject(ownerId, object)));
  const packageIds = new Set(items.flatMap((item) => packageIdIn(item) ?? []));
  for (const packageId of packageIds) {
    const { hasMore } = await removePage(forge, { pk: versionsPartition(packageId) });
    if (hasMore) return { hasFound: true, hasMore };
  }
  await table.removeAll(items);
  if (next !== undefined) return { hasFound: true, hasMore: true };
  const index = await removePage(forge, { pk: packageIndexPartition(ownerId) });
  if (!index.hasMore) await table.removeAll([packageSequenceKey(ownerId)]);
  return { hasFound: items.length > 0 || index.hasFound, hasMore: index.hasMore };
}

/** The package that a row leads to; contents lead to none. */
function packageIdIn(item: Item): number | undefined {
  if (typeof item.packageId === "number") return item.packageId;
  return typeof item.id === "number" ? item.id : undefined;
}

/** Unlinks some packages of a repository that is being deleted. */
export async function endSomeLinks(forge: Forge, repositoryId: number): Promise<PartStep> {
  const { items, next } = await forge.table.query<PackageLink>({
    pk: repositoryPartition(repositoryId),
    ...{ prefix: packageLinkPrefix, limit: linksPerStep },
  });
  for (const link of items) await endLink(forge, link, repositoryId);
  await forge.table.removeAll(items);
  return { hasFound: items.length > 0, hasMore: next !== undefined };
}

/** Unlinks what belongs to others than the owner that a repository was given to. */
export async function endForeignLinks(forge: Forge, repositoryId: number): Promise<PartStep> {
  const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
  if (repository?.state !== "live") return { hasFound: false, hasMore: false };
  const links = await forge.table.queryAll<PackageLink>({
    pk: repositoryPartition(repositoryId),
    prefix: packageLinkPrefix,
  });
  const foreign = links.filter(({ ownerId }) => ownerId !== repository.ownerId);
  for (const link of foreign.slice(0, linksPerStep)) await endLink(forge, link, repositoryId);
  return { hasFound: foreign.length > 0, hasMore: foreign.length > linksPerStep };
}
