import { isHiddenFromToken } from "../access/public-only.ts";
import { findAccessById, type RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { isIssueAttachmentReadable } from "../issue-attachment/issue-attachment.ts";
import { isAssetReadable } from "../release/asset.ts";
import type { Attachment } from "./attachment.table.ts";
import { findAttachmentByAddress } from "./attachment.ts";

/** The attachment under an address, if the caller may read what it is on. NotFound otherwise (semantics §44.2). */
export async function getReadableAttachment(
  forge: Forge,
  actor: Actor | undefined,
  uuid: string,
): Promise<Attachment> {
  const attachment = await findAttachmentByAddress(forge, uuid);
  const access =
    attachment === undefined ? undefined : await findAccessById(forge, actor, attachment.repositoryId);
  if (attachment === undefined || access === undefined || isHiddenFromToken(actor, access)) {
    throw noSuchFile();
  }
  if (!(await isTargetReadable(forge, access, attachment))) throw noSuchFile();
  return attachment;
}

const isTargetReadable = (
  forge: Forge,
  access: RepositoryAccess,
  { id, target }: Attachment,
): Promise<boolean> =>
  target.kind === "release"
    ? isAssetReadable(forge, access, id, target.number)
    : isIssueAttachmentReadable(forge, access, id, target);

const noSuchFile = () => notFound("there is no such file, or you may not read it");
