import { badRequest } from "#core/errors";
import type { Forge } from "#core/forge";
import { genericProblem } from "#core/package/generic-names";
import { hashesOf } from "#core/package/hash";
import { getPackage, getPackageFile, getPackageVersion } from "#core/package/package";
import { publishFile } from "#core/package/publish";
import { removePackageFile, removePackageVersion } from "#core/package/remove";
import { mostPackageBytes } from "#core/package/size-limits";
import { bytesOfFile } from "../../api/attachment/schema.ts";
import type { Upload } from "../../http/body/upload.ts";
import { type Endpoint, endpoint } from "../../http/endpoint.ts";
import { readsRegistry, writesRegistry } from "../needs.ts";
import { packageFileAnswer } from "../package-file.ts";
import { announce, takeAnnounced } from "./announced.ts";
import { AnnouncePackageFileOption, AwaitedPackageFile, CompletePackageFileOption } from "./schema.ts";

const path = "/{owner}/generic/{name}/{version}/{file}";
const type = "generic";

/** The body itself, or the part `file` of a form. */
async function contentOf(forge: Forge, upload: Upload) {
  const most = mostPackageBytes(forge);
  if (!upload.isForm) return upload.file(most);
  const { kept } = await upload.form("file", most);
  if (kept === undefined) throw badRequest("the form lacks a part named file");
  return kept.content;
}

const uploadFile = endpoint({
  id: "uploadGenericPackageFile",
  tag: "package",
  method: "put",
  path,
  summary: "Upload a file of a generic package",
  needs: writesRegistry,
  takesFile: bytesOfFile,
  status: 201,
  errors: [400, 401, 403, 404, 409, 413],
  handle: async ({ forge, actor, packages: { owner }, params, upload }) => {
    const { name, version, file: fileName } = params;
    const problem = genericProblem(params);
    if (problem !== undefined) throw problem;
    const content = await contentOf(forge, upload);
    const file = { content, hashes: await hashesOf(content.pieces()) };
    await publishFile(forge, owner, actor, { type, name, version, fileName, file, takesMoreFiles: true });
    return undefined;
  },
});

const downloadFile = endpoint({
  id: "downloadGenericPackageFile",
  tag: "package",
  method: "get",
  path,
  summary: "Get a file of a generic package",
  needs: readsRegistry,
  status: 200,
  returns: { file: true },
  errors: [401, 403, 404],
  handle: async ({ forge, packages: { owner }, params: { name, version, file } }) => {
    const found = await getPackage(forge, { ownerId: owner.id, type, name });
    const of = await getPackageVersion(forge, found, version);
    return packageFileAnswer(forge, of, await getPackageFile(forge, of, file));
  },
});

const removeFile = endpoint({
  id: "deleteGenericPackageFile",
  tag: "package",
  method: "delete",
  path,
  summary: "Delete a file of a generic package; with the last one its version",
  needs: writesRegistry,
  status: 204,
  errors: [401, 403, 404, 409],
  handle: async ({ forge, actor, packages: { owner }, params: { name, version, file } }) => {
    const found = await getPackage(forge, { ownerId: owner.id, type, name });
    await removePackageFile(forge, actor, found, { version, file });
    return undefined;
  },
});

const removeVersion = endpoint({
  id: "deleteGenericPackageVersion",
  tag: "package",
  method: "delete",
  path: "/{owner}/generic/{name}/{version}",
  summary: "Delete a version of a generic package",
  needs: writesRegistry,
  status: 204,
  errors: [401, 403, 404, 409],
  handle: async ({ forge, actor, packages: { owner }, params: { name, version } }) => {
    const found = await getPackage(forge, { ownerId: owner.id, type, name });
    await removePackageVersion(forge, actor, found, version);
    return undefined;
  },
});

const announceFile = endpoint({
  id: "announceGenericPackageFile",
  tag: "package",
  method: "post",
  path,
  summary: "Announce a file of a generic package that is more than a request may have",
  description:
    "On AWS a request may have 4.5 MB. PUT the file to upload_url within the hour, with `If-None-Match: *` and without " +
    "credentials; then complete the upload.",
  needs: writesRegistry,
  body: AnnouncePackageFileOption,
  status: 202,
  returns: { json: AwaitedPackageFile },
  isSecret: true,
  errors: [400, 401, 403, 404, 413, 422],
  handle: async ({ forge, actor, packages: { owner }, params, body }) => {
    const problem = genericProblem(params);
    if (problem !== undefined) throw problem;
    const place = { owner, actor, file: [params.name, params.version, params.file] };
    return announce(forge, place, { sizeBytes: body.size, sha256: body.sha256 });
  },
});

const completeFile = endpoint({
  id: "completeGenericPackageFile",
  tag: "package",
  method: "post",
  path: `${path}/complete`,
  summary: "Make a file that was put under its upload_url one of a generic package",
  needs: writesRegistry,
  body: CompletePackageFileOption,
  status: 201,
  errors: [400, 401, 403, 404, 409, 422],
  handle: async ({ forge, actor, packages: { owner }, params, body }) => {
    const { name, version, file: fileName } = params;
    const file = await takeAnnounced(forge, { owner, actor, file: [name, version, fileName] }, body.upload);
    await publishFile(forge, owner, actor, { type, name, version, fileName, file, takesMoreFiles: true });
    return undefined;
  },
});

/** The registry of files of any kind (semantics §57). */
export const genericEndpoints: readonly Endpoint[] = [
  uploadFile,
  announceFile,
  completeFile,
  downloadFile,
  removeFile,
  removeVersion,
];
