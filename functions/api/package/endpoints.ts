import { accessMode, isRepositoryOwner, modeOf } from "#core/access/modes";
import type { PackageAccess } from "#core/access/package-access";
import { findAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import { defined } from "#core/defined";
import { forbidden, notFound } from "#core/errors";
import type { Forge } from "#core/forge";
import { linkPackage, unlinkPackage } from "#core/package/link";
import { getLatestVersion, listPackageVersions } from "#core/package/list";
import {
  getPackage,
  getPackageVersion,
  listPackageFiles,
  noSuchPackage,
  packageTypeFrom,
} from "#core/package/package";
import type { Package as PackageItem } from "#core/package/package.table";
import { removePackageVersion } from "#core/package/remove";
import { removePackage } from "#core/package/remove-package";
import { z } from "#zod";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { text } from "../../http/query.ts";
import { Package, PackageFile } from "./schema.ts";
import { presentPackageFile, showVersion, showVersions } from "./show.ts";

const reads = { scope: ["package"], package: { mode: "read" } } as const;
const writes = { scope: ["package"], login: true, package: { mode: "write" } } as const;

const ofOwner = "/packages/{owner}";
const ofPackage = "/packages/{owner}/{type}/{name}";
const ofVersion = "/packages/{owner}/{type}/{name}/{version}";

interface Named {
  readonly forge: Forge;
  readonly packages: PackageAccess;
  readonly params: { readonly type: string; readonly name: string };
}

/** The package of the path; NotFound for a registry that there is none of, too. */
function packageOf({ forge, packages: { owner }, params }: Named): Promise<PackageItem> {
  const type = packageTypeFrom(params.type);
  if (type === undefined) throw noSuchPackage(params.name);
  return getPackage(forge, { ownerId: owner.id, type, name: params.name });
}

async function versionOf(named: Named & { readonly params: { readonly version: string } }) {
  const found = await packageOf(named);
  return { package: found, version: await getPackageVersion(named.forge, found, named.params.version) };
}

const listPackages = endpoint({
  id: "listPackages",
  tag: "package",
  method: "get",
  path: ofOwner,
  summary: "List the versions of an owner's packages, the newest first",
  needs: reads,
  query: {
    type: text.openapi({ description: "a registry, such as npm; all of them when it is all, or absent" }),
    q: text.openapi({ description: "a part of the name, in any case" }),
  },
  status: 200,
  returns: { list: Package },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, packages, query, page } = request;
    const isOfAll = query.type === undefined || query.type === "all";
    const type = packageTypeFrom(query.type ?? "");
    if (!isOfAll && type === undefined) return { items: [], total: 0 };
    const { owner } = packages;
    const { items, total } = await listPackageVersions(forge, owner.id, {
      ...{ page: page.page, limit: page.limit },
      ...defined({ type, name: query.q }),
    });
    return { items: await showVersions(forge, viewOf(request), owner, items), total };
  },
});

const listVersions = endpoint({
  id: "listPackageVersions",
  tag: "package",
  method: "get",
  path: ofPackage,
  scoped: "name",
  summary: "List the versions of a package, the newest first",
  needs: reads,
  status: 200,
  returns: { list: Package },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, packages, page } = request;
    const { id } = await packageOf(request);
    const { owner } = packages;
    const { items, total } = await listPackageVersions(forge, owner.id, {
      ...{ packageId: id, page: page.page, limit: page.limit },
    });
    return { items: await showVersions(forge, viewOf(request), owner, items), total };
  },
});

const deleteWholePackage = endpoint({
  id: "deleteWholePackage",
  originalId: "deletePackage",
  tag: "package",
  method: "delete",
  path: ofPackage,
  scoped: "name",
  summary: "Delete a package with all versions",
  needs: writes,
  status: 204,
  errors: [403, 404, 409],
  handle: async (request) => {
    await removePackage(request.forge, request.actor, await packageOf(request));
    return undefined;
  },
});

const getLatest = endpoint({
  id: "getLatestPackageVersion",
  tag: "package",
  method: "get",
  path: "/packages/{owner}/{type}/{name}/-/latest",
  scoped: "name",
  summary: "Get the newest version of a package",
  needs: reads,
  status: 200,
  returns: { json: Package },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, packages } = request;
    const latest = await getLatestVersion(forge, await packageOf(request));
    return showVersion(forge, viewOf(request), packages.owner, latest);
  },
});

const getOne = endpoint({
  id: "getPackage",
  tag: "package",
  method: "get",
  path: ofVersion,
  scoped: "name",
  summary: "Get a version of a package",
  needs: reads,
  status: 200,
  returns: { json: Package },
  errors: [403, 404],
  handle: async (request) =>
    showVersion(request.forge, viewOf(request), request.packages.owner, await versionOf(request)),
});

const deleteOne = endpoint({
  id: "deletePackage",
  originalId: "deletePackageVersion",
  tag: "package",
  method: "delete",
  path: ofVersion,
  scoped: "name",
  summary: "Delete a version of a package; with the last one the package",
  needs: writes,
  status: 204,
  errors: [403, 404, 409],
  handle: async (request) => {
    const { forge, actor, params } = request;
    await removePackageVersion(forge, actor, await packageOf(request), params.version);
    return undefined;
  },
});

const listFiles = endpoint({
  id: "listPackageFiles",
  tag: "package",
  method: "get",
  path: "/packages/{owner}/{type}/{name}/{version}/files",
  scoped: "name",
  summary: "List the files of a version",
  needs: reads,
  status: 200,
  returns: { json: z.array(PackageFile) },
  errors: [403, 404],
  handle: async (request) => {
    const { version } = await versionOf(request);
    return (await listPackageFiles(request.forge, version)).map(presentPackageFile);
  },
});

/** The repository of this name at the same owner. 403 when the caller may not write its packages. */
async function linkableRepository(
  forge: Forge,
  actor: Actor,
  { owner }: PackageAccess,
  name: string,
): Promise<number> {
  const access = await findAccess(forge, actor, owner.name, name);
  if (access === undefined) throw notFound(`repository does not exist [name: ${name.slice(0, 100)}]`);
  const { rights, repository } = access;
  if (!isRepositoryOwner(rights) && modeOf(rights, "packages") < accessMode.write) {
    throw forbidden("you may not write packages of this repository");
  }
  return repository.id;
}

const link = endpoint({
  id: "linkPackage",
  tag: "package",
  method: "post",
  path: "/packages/{owner}/{type}/{name}/-/link/{repo_name}",
  scoped: "name",
  summary: "Link a package to a repository of its owner",
  needs: writes,
  status: 201,
  errors: [400, 403, 404, 409],
  handle: async (request) => {
    const { forge, actor, packages, params } = request;
    const found = await packageOf(request);
    await linkPackage(forge, found, await linkableRepository(forge, actor, packages, params.repo_name));
    return undefined;
  },
});

const unlink = endpoint({
  id: "unlinkPackage",
  tag: "package",
  method: "post",
  path: "/packages/{owner}/{type}/{name}/-/unlink",
  scoped: "name",
  summary: "Unlink a package from its repository",
  description: "Of an organization only its owners may.",
  needs: writes,
  status: 204,
  errors: [400, 403, 404, 409],
  handle: async (request) => {
    const { owner, mode } = request.packages;
    if (owner.kind === "organization" && mode < accessMode.owner) {
      throw forbidden("only owners of the organization may unlink its packages");
    }
    await unlinkPackage(request.forge, await packageOf(request));
    return undefined;
  },
});

export const packageEndpoints = [
  listPackages,
  listVersions,
  deleteWholePackage,
  getLatest,
  getOne,
  deleteOne,
  listFiles,
  link,
  unlink,
];
