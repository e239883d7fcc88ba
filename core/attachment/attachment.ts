import { notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { exists, keyText, update } from "../table.ts";
import {
  type Attachment,
  type AttachmentAddress,
  addressKey,
  attachmentFile,
  attachmentKey,
} from "./attachment.table.ts";

export { attachmentProblem } from "./allowed-types.ts";
export {
  type AwaitedAddress,
  awaitFile,
  type IncomingFile,
  mostBytes,
  type ReceivedFile,
  receive,
  receiveAwaited,
  takeAwaited,
} from "./receive.ts";
export { emptySome, sweepFiles, sweepLeft } from "./sweep.ts";
export {
  additionWrites,
  type FileSweep,
  fileSweepKind,
  type LeftSweep,
  leaveWrites,
  leftSweepKind,
  ownerIdOf,
  removalWrites,
  sweepFileLater,
  uploadGraceMs,
} from "./write.ts";

/** The attachments named by these, by id. Removed ones are left out. */
export async function findAllOf(
  { table }: Forge,
  holders: readonly { readonly repositoryId: number; readonly attachmentIds?: readonly number[] }[],
): Promise<Map<number, Attachment>> {
  const keys = holders.flatMap(({ repositoryId, attachmentIds = [] }) =>
    attachmentIds.map((id) => attachmentKey(repositoryId, id)),
  );
  const found = await table.getAll<Attachment>(keys);
  return new Map(keys.flatMap((key) => found.get(keyText(key)) ?? []).map((one) => [one.id, one]));
}

/** The attachment under an address, or undefined. Its target may be gone, or hidden from the caller. */
export async function findByAddress(forge: Forge, uuid: string): Promise<Attachment | undefined> {
  const address = await forge.table.get<AttachmentAddress>(addressKey(uuid));
  if (address?.id === undefined) return undefined;
  return forge.table.get<Attachment>(attachmentKey(address.repositoryId, address.id));
}

/** Gives an attachment another name; NotFound when it is gone. */
export async function rename(forge: Forge, attachment: Attachment, name: string): Promise<Attachment> {
  const { repositoryId, id } = attachment;
  // Downloads are counted in an attribute of their own: the rest of the item stays untouched.
  const isThere = await forge.table.write(update(attachmentKey(repositoryId, id), { set: { name } }, exists));
  if (!isThere) throw notFound(`attachment does not exist [id: ${id}]`);
  return { ...attachment, name };
}

/** Counts one more download. */
export const countDownload = async ({ table }: Forge, { repositoryId, id }: Attachment): Promise<void> =>
  void (await table.write(update(attachmentKey(repositoryId, id), { add: { downloads: 1 } }, exists)));

/** The bytes of an attachment, or some of them. */
export const read = (
  { blobs }: Forge,
  { repositoryId, uuid }: Attachment,
  start?: number,
  end?: number,
): AsyncIterable<Uint8Array> => blobs.stream(attachmentFile(repositoryId, uuid), start, end);

const readWithinSeconds = 300;

/** An address where S3 serves an attachment itself, for a few minutes; undefined when clients can't reach S3. */
export const downloadUrl = (
  { blobs }: Forge,
  { repositoryId, uuid, contentType }: Attachment,
  contentDisposition: string,
): Promise<string | undefined> =>
  blobs.downloadUrl(
    attachmentFile(repositoryId, uuid),
    { contentType, contentDisposition },
    readWithinSeconds,
  );
