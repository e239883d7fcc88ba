import type { RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import type { AttachmentTarget } from "#core/attachment/attachment.table";
import { awaitFile, type ReceivedFile, takeAwaitedFile } from "#core/attachment/receive";
import { badRequest } from "#core/errors";
import type { Forge } from "#core/forge";
import type { z } from "#zod";
import { linkTo } from "../../http/answer/links.ts";
import { Reply } from "../../http/answer/reply.ts";
import type { Upload } from "../../http/body/upload.ts";
import { timestamp } from "../../http/timestamps.ts";
import { AnnounceAttachmentOption, type AttachmentJson } from "./schema.ts";

interface AnnouncingRequest {
  readonly forge: Forge;
  readonly access: RepositoryAccess;
  readonly actor: Actor;
  readonly upload: Upload;
  readonly query: { name?: string | undefined };
}

/** A file that was put under its address, and the body that says so. */
export interface AnnouncedFile {
  readonly file: ReceivedFile;
  readonly body: z.infer<typeof AnnounceAttachmentOption>;
}

/** The two steps of a separate upload (D-BIGBODY): an address for the file as the answer, then the file itself. */
export async function announcedFile(
  { forge, access, actor, upload, query }: AnnouncingRequest,
  target: AttachmentTarget,
): Promise<AnnouncedFile | Reply<AttachmentJson>> {
  const body = await upload.json(AnnounceAttachmentOption);
  const { name = query.name, size, uuid } = body;
  const wanted = { target, uploaderId: actor.user.id };
  if (uuid !== undefined) {
    const file = await takeAwaitedFile(forge, access.repository.id, uuid, wanted);
    return { file: { ...file, name: name ?? file.name }, body };
  }
  if (!name || size === undefined) {
    throw badRequest("name and size announce a file; uuid makes one that was put an attachment");
  }
  const awaited = { ...wanted, name, sizeBytes: size };
  const address = await awaitFile(forge, access.repository.id, awaited);
  const json = {
    uuid: address.uuid,
    upload_url: address.url ?? linkTo(forge.config, "attachments", address.uuid),
    expires_at: timestamp(address.until),
  };
  return new Reply(json as never, { status: 202 });
}

/** What announcing says in an operation's description. */
export const announcing =
  "On AWS a request may have 4.5 MB; a larger file goes the other way: announce it with a JSON body of name and size " +
  "(202 with upload_url), PUT its bytes there, then send a JSON body with its uuid (201).";
