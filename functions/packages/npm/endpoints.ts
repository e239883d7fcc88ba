import type { Actor } from "#core/actor";
import { badRequest } from "#core/errors";
import type { Forge } from "#core/forge";
import type { Owner } from "#core/owner/owner";
import { FileHasher } from "#core/package/hash";
import { searchLatestVersions } from "#core/package/list";
import { npmTagProblem, tarballName, unscoped } from "#core/package/npm/name";
import {
  findPackage,
  findPackageVersion,
  getPackage,
  getPackageFile,
  getPackageVersion,
  noSuchPackage,
} from "#core/package/package";
import type { PackageVersion } from "#core/package/package.table";
import { publishFile } from "#core/package/publish";
import { removePackageVersion } from "#core/package/remove";
import { removePackage } from "#core/package/remove-package";
import { mostPackageBytes } from "#core/package/size-limits";
import { removePackageTag, setPackageTag } from "#core/package/tags";
import { z } from "#zod";
import type { Upload } from "../../http/body/upload.ts";
import { type Endpoint, endpoint } from "../../http/endpoint.ts";
import { integer, text } from "../../http/query.ts";
import { readsRegistry, writesRegistry } from "../needs.ts";
import { packageFileAnswer } from "../package-file.ts";
import { deprecateByDocument, mostDocumentBytes, parseDocument } from "./document.ts";
import { metadataAnswer } from "./metadata.ts";
import { publicationOf } from "./publication.ts";
import { PublishDocument } from "./publish-document.ts";
import { searchObject } from "./search.ts";

const base = "/{owner}/npm";
const npm = (owner: Owner, name: string) => ({ ownerId: owner.id, type: "npm", name }) as const;
const json = { "application/json": z.object({}) };

const getMetadata = endpoint({
  id: "getNpmPackage",
  tag: "package",
  method: "get",
  path: `${base}/{name}`,
  scoped: "name",
  summary: "Get what an npm registry tells of a package",
  needs: readsRegistry,
  status: 200,
  returns: { json: z.object({}) },
  errors: [401, 403, 404],
  handle: async ({ forge, packages: { owner }, params: { name } }) =>
    metadataAnswer({ forge, owner, found: await getPackage(forge, npm(owner, name)) }),
});

interface PublishRequest {
  readonly forge: Forge;
  readonly actor: Actor;
  readonly owner: Owner;
  readonly name: string;
  readonly upload: Upload;
}

/** A document with a file publishes a version; one without changes what is said of versions that are there. */
async function publish({ forge, actor, owner, name, upload }: PublishRequest): Promise<void> {
  const most = mostPackageBytes(forge);
  const body = await upload.file(Math.ceil((most * 4) / 3) + mostDocumentBytes);
  const parts = new PublishDocument(mostDocumentBytes);
  const hasher = new FileHasher();
  const content = await upload.derived(hasher.passing(parts.attachment(body.pieces())), most);
  parts.requireWhole();
  await body.remove();
  const document = await parseDocument(forge, parts.json);
  if (!parts.hasAttachment) return deprecateByDocument(forge, npm(owner, name), document);
  const file = { content, hashes: hasher.digest() };
  await publishFile(forge, owner, actor, await publicationOf(forge, owner, actor, { document, name, file }));
}

const putDocument = endpoint({
  id: "publishNpmPackage",
  tag: "package",
  method: "put",
  path: `${base}/{name}`,
  scoped: "name",
  summary: "Publish a version of an npm package, or deprecate some",
  needs: writesRegistry,
  takesFile: json,
  status: 201,
  errors: [400, 401, 403, 404, 409, 413],
  handle: async ({ forge, actor, packages: { owner }, params: { name }, upload }) => {
    await publish({ forge, actor, owner, name, upload });
    return undefined;
  },
});

const getTarball = endpoint({
  id: "downloadNpmPackage",
  tag: "package",
  method: "get",
  path: `${base}/{name}/-/{version}/{file}`,
  scoped: "name",
  summary: "Get the file of a version",
  needs: readsRegistry,
  status: 200,
  returns: { file: true },
  errors: [401, 403, 404],
  handle: async ({ forge, packages: { owner }, params: { name, version, file } }) => {
    const of = await getPackageVersion(forge, await getPackage(forge, npm(owner, name)), version);
    return packageFileAnswer(forge, of, await getPackageFile(forge, of, file));
  },
});

/** The version that a file is named after, when it is of this package. */
async function versionOfFile(
  forge: Forge,
  owner: Owner,
  name: string,
  file: string,
): Promise<PackageVersion> {
  const found = await getPackage(forge, npm(owner, name));
  const [begin, end] = [`${unscoped(found.name)}-`, ".tgz"];
  const version = file.slice(begin.length, -end.length);
  const of = file.toLowerCase() === tarballName(found.name, version) ? version : "";
  const there = of === "" ? undefined : await findPackageVersion(forge, found.id, of);
  if (there === undefined) throw noSuchPackage(file);
  return there;
}

const getTarballByName = endpoint({
  id: "downloadNpmPackageByFileName",
  tag: "package",
  method: "get",
  path: `${base}/{name}/-/{file}`,
  scoped: "name",
  summary: "Get the file of a version by its name alone",
  needs: readsRegistry,
  status: 200,
  returns: { file: true },
  errors: [401, 403, 404],
  handle: async ({ forge, packages: { owner }, params: { name, file } }) => {
    const of = await versionOfFile(forge, owner, name, file);
    return packageFileAnswer(forge, of, await getPackageFile(forge, of, file));
  },
});

const removeTarball = endpoint({
  id: "deleteNpmPackageVersion",
  tag: "package",
  method: "delete",
  path: `${base}/{name}/-/{version}/{file}/-rev/{rev}`,
  scoped: "name",
  summary: "Remove a version: the second half of unpublishing it",
  needs: writesRegistry,
  status: 200,
  errors: [401, 403, 404, 409],
  handle: async ({ forge, actor, packages: { owner }, params: { name, version } }) => {
    await removePackageVersion(forge, actor, await getPackage(forge, npm(owner, name)), version);
    return undefined;
  },
});

/** Such a document has all versions of a package but one, however many; it is thrown away. */
const mostRevisionBytes = 128 * 2 ** 20;

const putRevision = endpoint({
  id: "prepareNpmUnpublish",
  tag: "package",
  method: "put",
  path: `${base}/{name}/-rev/{rev}`,
  scoped: "name",
  summary: "The first half of unpublishing a version: changes nothing",
  needs: writesRegistry,
  takesFile: json,
  status: 200,
  errors: [401, 403, 404, 413],
  handle: async ({ upload }) => {
    await upload.file(mostRevisionBytes);
    return undefined;
  },
});

const removeWhole = endpoint({
  id: "deleteNpmPackage",
  tag: "package",
  method: "delete",
  path: `${base}/{name}/-rev/{rev}`,
  scoped: "name",
  summary: "Remove a package with all versions",
  needs: writesRegistry,
  status: 200,
  errors: [401, 403, 404, 409],
  handle: async ({ forge, actor, packages: { owner }, params: { name } }) => {
    await removePackage(forge, actor, await getPackage(forge, npm(owner, name)));
    return undefined;
  },
});

const tagsPath = `${base}/-/package/{name}/dist-tags` as const;
const tagPath = `${tagsPath}/{tag}` as const;

function requireTag(tag: string): void {
  const problem = npmTagProblem(tag);
  if (problem !== undefined) throw problem;
}

const listTags = endpoint({
  id: "listNpmTags",
  tag: "package",
  method: "get",
  path: tagsPath,
  scoped: "name",
  summary: "List the tags of a package; none of one that is not there",
  needs: readsRegistry,
  status: 200,
  returns: { json: z.record(z.string(), z.string()) },
  errors: [401, 403, 404],
  handle: async ({ forge, packages: { owner }, params: { name } }) =>
    (await findPackage(forge, npm(owner, name)))?.tags ?? {},
});

const putTag = endpoint({
  id: "setNpmTag",
  tag: "package",
  method: "put",
  path: tagPath,
  scoped: "name",
  summary: "Let a tag lead to a version, which the body names",
  needs: writesRegistry,
  body: z.string(),
  status: 200,
  errors: [400, 401, 403, 404, 409],
  handle: async ({ forge, packages: { owner }, params: { name, tag }, body }) => {
    requireTag(tag);
    const version = body.trim();
    if (version === "") throw badRequest("the body names no version");
    await setPackageTag(forge, await getPackage(forge, npm(owner, name)), tag, version);
    return undefined;
  },
});

const removeTag = endpoint({
  id: "removeNpmTag",
  tag: "package",
  method: "delete",
  path: tagPath,
  scoped: "name",
  summary: "Remove a tag",
  needs: writesRegistry,
  status: 200,
  errors: [400, 401, 403, 404, 409],
  handle: async ({ forge, packages: { owner }, params: { name, tag } }) => {
    requireTag(tag);
    await removePackageTag(forge, await getPackage(forge, npm(owner, name)), tag);
    return undefined;
  },
});

const mostFound = 50;

const search = endpoint({
  id: "searchNpmPackages",
  tag: "package",
  method: "get",
  path: `${base}/-/v1/search`,
  summary: "Search packages by a part of their names",
  needs: readsRegistry,
  query: { text, from: integer, size: integer },
  status: 200,
  returns: { json: z.object({ objects: z.array(z.looseObject({})), total: z.int() }) },
  errors: [401, 403, 404],
  handle: async ({ forge, packages: { owner }, query }) => {
    const size = Math.min(Math.max(query.size ?? 0, 0) || forge.config.defaultPagingNum, mostFound);
    const { items, total } = await searchLatestVersions(forge, owner.id, {
      ...{ type: "npm", name: query.text ?? "", from: Math.max(query.from ?? 0, 0), size },
    });
    return { objects: items.map((one) => searchObject(forge.config, owner, one)), total };
  },
});

/** The npm registry (semantics §58). */
export const npmEndpoints: readonly Endpoint[] = [
  getMetadata,
  putDocument,
  getTarball,
  getTarballByName,
  removeTarball,
  putRevision,
  removeWhole,
  listTags,
  putTag,
  removeTag,
  search,
];
