import { isHiddenFromToken } from "#core/access/public-only";
import { findAccessesById } from "#core/access/repository-access";
import type { Forge } from "#core/forge";
import type { Owner } from "#core/owner/owner";
import type { VersionInPackage } from "#core/package/list";
import type { PackageFile, PackageVersion } from "#core/package/package.table";
import { repositoryDetailsOf } from "#core/repository/details";
import { findUsersById } from "#core/user/find";
import { ghostUser } from "#core/user/system-users";
import { linkTo } from "../../http/answer/links.ts";
import type { View } from "../../http/answer/view.ts";
import { timestamp } from "../../http/timestamps.ts";
import { presentOwner } from "../organization/present.ts";
import { presentRepository } from "../repository/present.ts";
import type { RepositoryJson } from "../repository/schema.ts";
import { presentUser } from "../user/present.ts";
import type { PackageFileJson, PackageJson } from "./schema.ts";

/** Reads what versions of an owner's packages refer to, and presents them with it. */
export async function showVersions(
  forge: Forge,
  view: View,
  owner: Owner,
  versions: readonly VersionInPackage[],
): Promise<PackageJson[]> {
  const repositoryIds = versions.flatMap(({ package: { repositoryId } }) => repositoryId ?? []);
  const [repositories, creators] = await Promise.all([
    showRepositories(forge, view, [...new Set(repositoryIds)]),
    findUsersById(
      forge,
      versions.map(({ version }) => version.creatorId),
    ),
  ]);
  const shownOwner = presentOwner(view, owner);
  return versions.map(({ version, package: { repositoryId = 0 } }) => ({
    ...versionJson(view, owner, version),
    owner: shownOwner,
    repository: repositories.get(repositoryId) ?? null,
    creator: presentUser(view, creators.get(version.creatorId) ?? ghostUser),
  }));
}

/** The same for one. */
export async function showVersion(
  forge: Forge,
  view: View,
  owner: Owner,
  version: VersionInPackage,
): Promise<PackageJson> {
  const [shown] = await showVersions(forge, view, owner, [version]);
  return shown as PackageJson;
}

/** What a version itself says. */
export const versionJson = (
  { config }: View,
  owner: Owner,
  { id, type, name, version, createdAt }: PackageVersion,
): Omit<PackageJson, "owner" | "repository" | "creator"> => ({
  ...{ id, type, name, version },
  html_url: packageLink(config, owner, { type, name, version }),
  created_at: timestamp(createdAt),
});

/** The page of a version. */
export const packageLink = (
  config: View["config"],
  owner: Owner,
  { type, name, version }: Pick<PackageVersion, "type" | "name" | "version">,
): string => linkTo(config, owner.name, "-", "packages", type, name, version);

/** The repositories that the caller may see, by id. */
async function showRepositories(
  forge: Forge,
  view: View,
  ids: readonly number[],
): Promise<ReadonlyMap<number, RepositoryJson>> {
  const { actor } = view;
  const found = ids.length === 0 ? [] : [...(await findAccessesById(forge, actor, ids))];
  const shown = await Promise.all(
    found
      .filter(([, access]) => !isHiddenFromToken(actor, access))
      .map(async ([id, access]) => {
        const details = await repositoryDetailsOf(forge, access, actor);
        return [id, presentRepository(view, details)] as const;
      }),
  );
  return new Map(shown);
}

export const presentPackageFile = ({
  id,
  sizeBytes,
  name,
  md5,
  sha1,
  sha256,
  sha512,
}: PackageFile): PackageFileJson => ({ id, Size: sizeBytes, name, md5, sha1, sha256, sha512 });
