import type { Forge } from "../forge.ts";
import { listFromIndex } from "../list-index/list-index.ts";
import type { PageRequest } from "../page.ts";
import { keyText } from "../table/write.ts";
import { type PackageFilter, type PackageSort, packageIdOf, packageIndex } from "./package.index.ts";
import {
  type LeavingPackage,
  type ListedVersion,
  leavingPrefix,
  listedVersionKey,
  type Package,
  type PackageVersion,
  packageKey,
  packagesPartition,
  versionKey,
} from "./package.table.ts";
import { noSuchPackage } from "./package.ts";

/** Which versions of an owner to list. Absent members filter nothing. */
export interface PackageQuery extends PageRequest, Omit<PackageFilter, "leaving"> {
  /** The newest first, unless asked otherwise. */
  readonly sort?: PackageSort;
}

/** A version, and the package that it is one of. */
export interface VersionInPackage {
  readonly version: PackageVersion;
  readonly package: Package;
}

/** Versions of one page, and the number of all. */
export interface VersionListing {
  readonly items: readonly VersionInPackage[];
  readonly total: number;
}

const everything = { page: 1, limit: Number.MAX_SAFE_INTEGER } as const;

/** One page of the versions of an owner's packages, with every acknowledged change. */
export async function listPackageVersions(
  forge: Forge,
  ownerId: number,
  { sort = "newest", page, limit, ...filter }: PackageQuery,
): Promise<VersionListing> {
  const leaving = await findLeaving(forge, ownerId);
  const { ids, total } = await listFromIndex(forge, packageIndex(ownerId), {
    ...{ filter: { ...filter, leaving }, sort, page, limit },
  });
  return { items: await load(forge, ownerId, ids), total };
}

/** An owner's packages, each as its newest version, from the row `from` (counted from 0) on. */
export const searchLatestVersions = (
  forge: Forge,
  ownerId: number,
  {
    from,
    size,
    ...filter
  }: Omit<PackageFilter, "leaving"> & { readonly from: number; readonly size: number },
): Promise<VersionListing> => latestOf(forge, ownerId, filter, (rows) => rows.slice(from, from + size));

/** The newest version of a package. NotFound when it is gone. */
export async function getLatestVersion(forge: Forge, found: Package): Promise<VersionInPackage> {
  const { items } = await listPackageVersions(forge, found.ownerId, {
    ...{ packageId: found.id, page: 1, limit: 1 },
  });
  const [latest] = items;
  if (latest === undefined) throw noSuchPackage(found.name);
  return latest;
}

async function latestOf(
  forge: Forge,
  ownerId: number,
  filter: Omit<PackageFilter, "leaving">,
  pageOf: (numbers: readonly number[]) => readonly number[],
): Promise<VersionListing> {
  const leaving = await findLeaving(forge, ownerId);
  const { ids, keys = [] } = await listFromIndex(forge, packageIndex(ownerId), {
    ...{ filter: { ...filter, leaving }, sort: "newest", keyOf: packageIdOf, ...everything },
  });
  const seen = new Set<number>();
  const newest = ids.filter((_, at) => {
    const packageId = keys[at] as number;
    if (seen.has(packageId)) return false;
    seen.add(packageId);
    return true;
  });
  return { items: await load(forge, ownerId, pageOf(newest)), total: newest.length };
}

async function findLeaving({ table }: Forge, ownerId: number): Promise<ReadonlySet<number>> {
  const marks = await table.queryAll<LeavingPackage>({
    pk: packagesPartition(ownerId),
    prefix: leavingPrefix,
  });
  return new Set(marks.map(({ packageId }) => packageId));
}

/** The versions of these numbers, in this order; those that were removed meanwhile are left out. */
async function load(
  { table }: Forge,
  ownerId: number,
  numbers: readonly number[],
): Promise<VersionInPackage[]> {
  const rows = await table.getAll<ListedVersion>(numbers.map((number) => listedVersionKey(ownerId, number)));
  const listed = numbers.flatMap((number) => rows.get(keyText(listedVersionKey(ownerId, number))) ?? []);
  const found = await table.getAll<PackageVersion | Package>(
    listed.flatMap(({ packageId, type, name, version }) => [
      versionKey(packageId, version),
      packageKey(ownerId, type, name),
    ]),
  );
  return listed.flatMap(({ number, packageId, type, name, version: text }) => {
    const version = found.get(keyText(versionKey(packageId, text))) as PackageVersion | undefined;
    const of = found.get(keyText(packageKey(ownerId, type, name))) as Package | undefined;
    return version?.number === number && of?.id === packageId ? [{ version, package: of }] : [];
  });
}

/** How many versions an owner has. */
export async function countPackageVersions(forge: Forge, ownerId: number): Promise<number> {
  return (await listPackageVersions(forge, ownerId, { page: 1, limit: 0 })).total;
}
