import { randomUUID } from "node:crypto";
import type { RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import { mostAttachmentBytes, receiveAttachment } from "#core/attachment/receive";
import { defined } from "#core/defined";
import { badRequest, isForgeError } from "#core/errors";
import type { Forge } from "#core/forge";
import {
  assetsOf,
  createAsset,
  editAsset,
  getAsset,
  type NewAsset,
  removeAsset,
  requireWebUrl,
} from "#core/release/asset";
import { getRelease } from "#core/release/release";
import type { Release } from "#core/release/release.table";
import { wholeUnlessAsked } from "../../http/answer/paging.ts";
import { Reply } from "../../http/answer/reply.ts";
import type { Upload } from "../../http/body/upload.ts";
import { endpoint } from "../../http/endpoint.ts";
import { text } from "../../http/query.ts";
import { announcedFile, announcing } from "../attachment/announced.ts";
import { requireEnabled } from "../attachment/enabled.ts";
import { presentAttachment } from "../attachment/present.ts";
import {
  AnnounceAttachmentOption,
  Attachment,
  type AttachmentJson,
  AwaitedAttachment,
  bytesOfFile,
  EditAttachmentOptions,
} from "../attachment/schema.ts";
import { readsReleases, releaseAhead, writesReleases } from "./needs.ts";
import { presentAsset } from "./present.ts";
import { AssetForm } from "./schema.ts";
import { reserveAssets } from "./show.ts";

const path = "/repos/{owner}/{repo}/releases/{id}/assets";

interface UploadRequest {
  readonly forge: Forge;
  readonly access: RepositoryAccess;
  readonly actor: Actor;
  readonly upload: Upload;
  readonly query: { name?: string | undefined; external_url?: string | undefined };
}

const eitherFileOrUrl = () => badRequest("send either a file or external_url, not both");
const nameless = () => badRequest("the file has no name: give one with name");

/** The asset that a request brings: a form, the bytes themselves, an address, or a file that was announced. */
async function given(request: UploadRequest, release: Release): Promise<NewAsset | Reply<AttachmentJson>> {
  const { upload, query } = request;
  if (upload.isForm) return fromForm(request);
  if (query.external_url !== undefined) {
    await requireNoBytes(upload);
    return elsewhere(query.external_url, query.name);
  }
  // A file of JSON is told by its name in the query, which an announcement has in its body.
  if (upload.isJson && query.name === undefined) {
    const announced = await announcedFile(request, { kind: "release", number: release.number });
    return announced instanceof Reply ? announced : announced.file;
  }
  return fromBytes(request);
}

async function fromForm({ forge, access, upload, query }: UploadRequest): Promise<NewAsset> {
  const { fields, kept: sent } = await upload.form("attachment", mostAttachmentBytes(forge));
  const name = query.name || fields.name;
  const url = query.external_url || fields.external_url;
  if (sent !== undefined && url) throw eitherFileOrUrl();
  if (url) return elsewhere(url, name);
  if (sent === undefined) throw badRequest("the form lacks a part named attachment, or external_url");
  const named = name || sent.name;
  if (!named) throw nameless();
  return receiveAttachment(forge, access.repository.id, { ...sent, name: named });
}

async function fromBytes({ forge, access, upload, query: { name } }: UploadRequest): Promise<NewAsset> {
  if (!name) throw nameless();
  const content = await upload.file(mostAttachmentBytes(forge));
  return receiveAttachment(forge, access.repository.id, { name, content });
}

async function requireNoBytes(upload: Upload): Promise<void> {
  const content = await upload.file(0).catch((error: unknown) => {
    throw isForgeError(error, "too-large") ? eitherFileOrUrl() : error;
  });
  if (content.sizeBytes > 0) throw eitherFileOrUrl();
}

/** A file elsewhere is named as its address ends, or by its host (semantics §44.1). */
function elsewhere(externalUrl: string, name: string | undefined): NewAsset {
  requireWebUrl(externalUrl);
  const { pathname, hostname } = new URL(externalUrl);
  const last = pathname.split("/").findLast((part) => part !== "") ?? hostname;
  const file = { uuid: randomUUID(), sizeBytes: 0, contentType: "application/octet-stream" };
  return { ...file, externalUrl, name: name || last };
}

const repoListReleaseAttachments = endpoint({
  id: "repoListReleaseAttachments",
  tag: "repository",
  method: "get",
  path,
  summary: "List the assets of a release, in the order of their upload",
  needs: readsReleases,
  readsAhead: releaseAhead,
  status: 200,
  returns: { list: Attachment },
  errors: [403, 404],
  handle: async ({ forge, access, params, page }) => {
    requireEnabled(forge);
    const release = await getRelease(forge, access, params.id);
    await reserveAssets(forge, release);
    const listing = wholeUnlessAsked(await assetsOf(forge, release), page);
    return { ...listing, items: listing.items.map((one) => presentAsset(forge, access, release, one)) };
  },
});

const repoCreateReleaseAttachment = endpoint({
  id: "repoCreateReleaseAttachment",
  tag: "repository",
  method: "post",
  path,
  summary: "Add an asset to a release",
  description: `A form with one file or external_url; or the bytes themselves, with the name in the query. ${announcing}`,
  needs: writesReleases,
  readsAhead: releaseAhead,
  refusesArchived: true,
  query: { name: text, external_url: text },
  takesFile: {
    "multipart/form-data": AssetForm,
    ...bytesOfFile,
    "application/json": AnnounceAttachmentOption,
  },
  status: 201,
  returns: { json: Attachment },
  otherReturns: { status: 202, json: AwaitedAttachment },
  errors: [400, 401, 403, 404, 409, 413, 422, 423],
  handle: async (request) => {
    const { forge, access, actor, params } = request;
    requireEnabled(forge);
    const release = await getRelease(forge, access, params.id);
    const asset = await given(request, release);
    if (asset instanceof Reply) return asset;
    return presentAttachment(forge, await createAsset(forge, release, asset, actor));
  },
});

const repoGetReleaseAttachment = endpoint({
  id: "repoGetReleaseAttachment",
  tag: "repository",
  method: "get",
  path: `${path}/{attachment_id}`,
  summary: "Get an asset of a release",
  needs: readsReleases,
  readsAhead: releaseAhead,
  status: 200,
  returns: { json: Attachment },
  errors: [403, 404],
  handle: async ({ forge, access, params }) => {
    requireEnabled(forge);
    return presentAttachment(forge, await getAsset(forge, access, params.id, params.attachment_id));
  },
});

const repoEditReleaseAttachment = endpoint({
  id: "repoEditReleaseAttachment",
  tag: "repository",
  method: "patch",
  path: `${path}/{attachment_id}`,
  summary: "Rename an asset of a release, or give one elsewhere another address",
  needs: writesReleases,
  readsAhead: releaseAhead,
  refusesArchived: true,
  body: EditAttachmentOptions,
  status: 201, // as the family answers, although nothing is created
  returns: { json: Attachment },
  errors: [400, 401, 403, 404, 422, 423],
  handle: async ({ forge, access, params, body }) => {
    requireEnabled(forge);
    const place = { releaseId: params.id, id: params.attachment_id };
    const { name, browser_download_url: url } = body;
    const changes = defined({ name: name || undefined, externalUrl: url || undefined });
    return presentAttachment(forge, await editAsset(forge, access, place, changes));
  },
});

const repoDeleteReleaseAttachment = endpoint({
  id: "repoDeleteReleaseAttachment",
  tag: "repository",
  method: "delete",
  path: `${path}/{attachment_id}`,
  summary: "Delete an asset of a release",
  needs: writesReleases,
  readsAhead: releaseAhead,
  refusesArchived: true,
  status: 204,
  errors: [401, 403, 404, 409, 423],
  handle: async ({ forge, access, params }) => {
    requireEnabled(forge);
    await removeAsset(forge, access, params.id, params.attachment_id);
    return undefined;
  },
});

export const releaseAssetEndpoints = [
  repoListReleaseAttachments,
  repoCreateReleaseAttachment,
  repoGetReleaseAttachment,
  repoEditReleaseAttachment,
  repoDeleteReleaseAttachment,
];
