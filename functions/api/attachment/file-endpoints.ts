import type { Actor } from "#core/actor";
import { attachmentDownloadUrl, countAttachmentDownload, readAttachment } from "#core/attachment/attachment";
import type { Attachment } from "#core/attachment/attachment.table";
import { getReadableAttachment } from "#core/attachment/readable-attachment";
import { receiveAwaitedFile } from "#core/attachment/receive";
import { forbidden } from "#core/errors";
import type { Forge } from "#core/forge";
import { getAssetByName } from "#core/release/asset";
import { missingScope } from "#core/token/scope";
import { mostStreamedBytes, redirectTo } from "../../http/answer/elsewhere.ts";
import type { FileAnswer } from "../../http/answer/file-answer.ts";
import type { Reply } from "../../http/answer/reply.ts";
import { endpoint } from "../../http/endpoint.ts";
import { attachmentAs, inlineAs, sandbox } from "../contents/content-type.ts";
import { readsReleases } from "../release/needs.ts";
import { requireEnabled } from "./enabled.ts";
import { bytesOfFile } from "./schema.ts";

/** Assets of releases belong to the repository's scope, everything else to that of issues. */
function requireScope(actor: Actor | undefined, { target }: Attachment): void {
  const category = target.kind === "release" ? "repository" : "issue";
  const missing = missingScope(actor?.grant, [category], "read");
  if (missing !== undefined) throw forbidden(`the token lacks the scope ${missing}`);
}

const dispositionOf = ({ name, contentType }: Attachment): string =>
  contentType === "application/octet-stream" ? attachmentAs(name) : inlineAs(name);

/**
 * Shown when a browser can do so safely, else saved; in a sandbox either way, because it comes from the API's own host.
 */
const headersOf = (attachment: Attachment): Readonly<Record<string, string>> => ({
  ...sandbox,
  "cache-control": "private, max-age=0, must-revalidate, no-transform",
  "content-disposition": dispositionOf(attachment),
  "access-control-expose-headers": "Content-Disposition",
});

function answer(forge: Forge, attachment: Attachment): FileAnswer {
  const { sizeBytes, contentType, uuid, createdAt } = attachment;
  async function* counted(start: number, end: number) {
    // A reader who continues a broken download is counted already.
    if (start === 0) await countAttachmentDownload(forge, attachment);
    yield* readAttachment(forge, attachment, start, end);
  }
  return {
    ...{ sizeBytes, contentType, etag: uuid, modifiedAt: createdAt, headers: headersOf(attachment) },
    read: () => counted(0, sizeBytes),
    readPart: counted,
  };
}

/** The file of an attachment, or where it lies. Its download is counted, if it is ours. */
async function fileOf(forge: Forge, attachment: Attachment): Promise<FileAnswer | Reply<FileAnswer>> {
  if (attachment.externalUrl !== undefined) return redirectTo(attachment.externalUrl);
  if (attachment.sizeBytes > mostStreamedBytes) {
    const location = await attachmentDownloadUrl(forge, attachment, dispositionOf(attachment));
    if (location !== undefined) {
      await countAttachmentDownload(forge, attachment);
      return redirectTo(location);
    }
  }
  return answer(forge, attachment);
}

const downloadAttachment = endpoint({
  id: "downloadAttachment",
  tag: "issue",
  method: "get",
  path: "/attachments/{uuid}",
  summary: "Get the file of an attachment: the target of browser_download_url",
  needs: {},
  status: 200,
  returns: { file: true },
  errors: [403, 404],
  handle: async ({ forge, actor, params }) => {
    const attachment = await getReadableAttachment(forge, actor, params.uuid);
    requireScope(actor, attachment);
    return fileOf(forge, attachment);
  },
});

const downloadAsset = endpoint({
  id: "downloadReleaseAsset",
  tag: "repository",
  method: "get",
  path: "/{owner}/{repo}/releases/download/{filepath}",
  summary: "Get the file of a release's asset: the target of browser_download_url",
  description: "The path is the tag, which may hold slashes, and behind the last slash the name.",
  needs: readsReleases,
  slashed: "filepath",
  status: 200,
  returns: { file: true },
  errors: [403, 404],
  handle: async ({ forge, access, params }) => {
    requireEnabled(forge);
    const { filepath } = params;
    const [tag, name] = [filepath.slice(0, filepath.lastIndexOf("/")), filepath.split("/").at(-1) ?? ""];
    return fileOf(forge, await getAssetByName(forge, access, tag, name));
  },
});

const putAttachment = endpoint({
  id: "putAttachment",
  tag: "issue",
  method: "put",
  path: "/attachments/{uuid}",
  summary: "Upload an announced file: the target of upload_url on one machine",
  description: "The address is the credential: nobody else knows it.",
  needs: { address: true },
  takesFile: bytesOfFile,
  status: 204,
  errors: [404, 409, 413, 422],
  handle: async ({ forge, params, upload }) => {
    await receiveAwaitedFile(forge, params.uuid, (mostBytes) => upload.file(mostBytes));
    return undefined;
  },
});

/** The operations at the addresses of attachments, beside the API. */
export const attachmentFileEndpoints = [downloadAttachment, downloadAsset, putAttachment];
