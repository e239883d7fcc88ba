import { notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { exists } from "../table/condition.ts";
import { keyText, update } from "../table/write.ts";
import {
  type Attachment,
  type AttachmentAddress,
  addressKey,
  attachmentFile,
  attachmentKey,
} from "./attachment.table.ts";

/** The attachments named by these, by id. Removed ones are left out. */
export async function findAttachmentsOf(
  { table }: Forge,
  holders: readonly { readonly repositoryId: number; readonly attachmentIds?: Iterable<number> }[],
): Promise<Map<number, Attachment>> {
  const keys = holders.flatMap(({ repositoryId, attachmentIds = [] }) =>
    [...attachmentIds].map((id) => attachmentKey(repositoryId, id)),
  );
  const found = await table.getAll<Attachment>(keys);
  return new Map(keys.flatMap((key) => found.get(keyText(key)) ?? []).map((one) => [one.id, one]));
}

/** The attachment under an address, or undefined. Its target may be gone, or hidden from the caller. */
export async function findAttachmentByAddress(forge: Forge, uuid: string): Promise<Attachment | undefined> {
  const address = await forge.table.get<AttachmentAddress>(addressKey(uuid));
  if (address?.id === undefined) return undefined;
  return forge.table.get<Attachment>(attachmentKey(address.repositoryId, address.id));
}

/** Gives an attachment another name, or one elsewhere another address; NotFound when it is gone. */
export async function editAttachment(
  forge: Forge,
  attachment: Attachment,
  changes: Partial<Pick<Attachment, "name" | "externalUrl">>,
): Promise<Attachment> {
  const { repositoryId, id } = attachment;
  // Downloads are counted in an attribute of their own: the rest of the item stays untouched.
  const isThere = await forge.table.write(update(attachmentKey(repositoryId, id), { set: changes }, exists));
  if (!isThere) throw notFound(`attachment does not exist [id: ${id}]`);
  return { ...attachment, ...changes };
}

/** Counts one more download. */
export const countAttachmentDownload = async (
  { table }: Forge,
  { repositoryId, id }: Attachment,
): Promise<void> =>
  void (await table.write(update(attachmentKey(repositoryId, id), { add: { downloads: 1 } }, exists)));

/** The bytes of an attachment, or some of them. */
export const readAttachment = (
  { blobs }: Forge,
  { repositoryId, uuid }: Attachment,
  start?: number,
  end?: number,
): AsyncIterable<Uint8Array> => blobs.stream(attachmentFile(repositoryId, uuid), start, end);

const readWithinSeconds = 300;

/** An address where S3 serves an attachment itself, for a few minutes; undefined when clients can't reach S3. */
export const attachmentDownloadUrl = (
  { blobs }: Forge,
  { repositoryId, uuid, contentType }: Attachment,
  contentDisposition: string,
): Promise<string | undefined> =>
  blobs.downloadUrl(
    attachmentFile(repositoryId, uuid),
    { contentType, contentDisposition },
    readWithinSeconds,
  );
