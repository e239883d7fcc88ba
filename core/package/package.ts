import { notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { exists } from "../table/condition.ts";
import { update } from "../table/write.ts";
import {
  fileKey,
  filesOfVersion,
  type Package,
  type PackageFile,
  type PackageType,
  type PackageVersion,
  packageKey,
  packagePrefix,
  packagesPartition,
  packageTypes,
  versionKey,
} from "./package.table.ts";

/** A package by its names. */
export interface PackageName {
  readonly ownerId: number;
  readonly type: PackageType;
  readonly name: string;
}

/** The longest name, version or file name, in UTF-16 units: keys end at 1,024 bytes. */
export const longestPackageText = 255;

/** The registry of this name; undefined when there is none. */
export const packageTypeFrom = (text: string): PackageType | undefined =>
  packageTypes.find((type) => type === text);

/** NotFound, for a package, a version or a file. */
export const noSuchPackage = (name: string) =>
  notFound(`package does not exist [name: ${name.slice(0, 300)}]`);

/** The package of this name, in any case, or undefined. */
export async function findPackage(
  { table }: Pick<Forge, "table">,
  { ownerId, type, name }: PackageName,
): Promise<Package | undefined> {
  return name.length > longestPackageText ? undefined : table.get<Package>(packageKey(ownerId, type, name));
}

/** The same; NotFound when there is none. */
export async function getPackage(forge: Pick<Forge, "table">, named: PackageName): Promise<Package> {
  const found = await findPackage(forge, named);
  if (found === undefined) throw noSuchPackage(named.name);
  return found;
}

/** A version of a package, in any case, or undefined. */
export const findPackageVersion = async (
  { table }: Pick<Forge, "table">,
  packageId: number,
  version: string,
): Promise<PackageVersion | undefined> =>
  version.length > longestPackageText ? undefined : table.get<PackageVersion>(versionKey(packageId, version));

/** The same; NotFound when there is none. */
export async function getPackageVersion(
  forge: Pick<Forge, "table">,
  { id, name }: Package,
  version: string,
): Promise<PackageVersion> {
  const found = await findPackageVersion(forge, id, version);
  if (found === undefined) throw noSuchPackage(`${name} ${version}`);
  return found;
}

/** The files of a version, by name. */
export const listPackageFiles = (
  { table }: Pick<Forge, "table">,
  { packageId, number }: PackageVersion,
): Promise<PackageFile[]> => table.queryAll<PackageFile>(filesOfVersion(packageId, number));

/** A file of a version, in any case; NotFound when there is none. */
export async function getPackageFile(
  { table }: Pick<Forge, "table">,
  { packageId, number }: PackageVersion,
  name: string,
): Promise<PackageFile> {
  const found =
    name.length > longestPackageText
      ? undefined
      : await table.get<PackageFile>(fileKey(packageId, number, name));
  if (found === undefined) throw noSuchPackage(name);
  return found;
}

/** Whether an owner has any package. */
export async function hasPackages({ table }: Pick<Forge, "table">, ownerId: number): Promise<boolean> {
  const { items } = await table.query({ pk: packagesPartition(ownerId), prefix: packagePrefix, limit: 1 });
  return items.length > 0;
}

/** Counts one more download of a version. */
export const countPackageDownload = async (
  { table }: Forge,
  { packageId, version }: PackageVersion,
): Promise<void> =>
  void (await table.write(update(versionKey(packageId, version), { add: { downloads: 1 } }, exists)));
