import { isForgeError } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { settleDue } from "../jobs/due.ts";
import { usageHolderOf } from "../quota/usage.ts";
import { equals } from "../table/condition.ts";
import { remove } from "../table/write.ts";
import {
  type Attachment,
  type AttachmentAddress,
  addressKey,
  attachmentFile,
  attachmentKey,
  attachmentsPartition,
} from "./attachment.table.ts";
import {
  type FileSweep,
  fileSweepKind,
  type LeftSweep,
  leftAttachmentRemovalWrites,
  leftSweepKind,
} from "./write.ts";

/** For the tick: removes files of unfinished uploads and of removed attachments. Answers how many. */
export const sweepFiles = (forge: Forge): Promise<number> =>
  settleDue<FileSweep>(forge, fileSweepKind, async ({ repositoryId, uuid }) => {
    const address = await forge.table.get<AttachmentAddress>(addressKey(uuid));
    if (address?.id !== undefined) return true;
    // A request that would attach the file now finds its address gone.
    const isOver =
      address === undefined || (await forge.table.write(remove(addressKey(uuid), equals({ id: undefined }))));
    if (isOver) await forge.blobs.remove([attachmentFile(repositoryId, uuid)]);
    return true;
  });

/** For the tick: removes attachments of deleted issues, comments and releases. Answers how many deletions it handled. */
export const sweepLeftFiles = (forge: Forge): Promise<number> =>
  settleDue<LeftSweep>(forge, leftSweepKind, async ({ repositoryId, ids }) => {
    for (const id of ids) if (!(await removeLeft(forge, repositoryId, id))) return false;
    return true;
  });

/** False when the repository got another owner meanwhile: the next tick tries again. */
async function removeLeft(forge: Forge, repositoryId: number, id: number): Promise<boolean> {
  const attachment = await forge.table.get<Attachment>(attachmentKey(repositoryId, id));
  if (attachment === undefined) return true;
  try {
    const { ownerId } = await usageHolderOf(forge, repositoryId);
    const writes = leftAttachmentRemovalWrites(forge, ownerId, attachment);
    return (await forge.table.transact(writes)).committed;
  } catch (error) {
    if (isForgeError(error, "not-found")) return true; // the job that empties the repository removes all of them
    throw error;
  }
}

const attachmentsPerStep = 100;

/** Removes attachments of a repository that is being deleted: one step. Answers whether there may be more. */
export async function emptySomeAttachments(
  { table, blobs }: Forge,
  repositoryId: number,
): Promise<{ hasFound: boolean; hasMore: boolean }> {
  const pk = attachmentsPartition(repositoryId);
  const { items, next } = await table.query<Attachment>({ pk, limit: attachmentsPerStep });
  await blobs.remove(items.map(({ uuid }) => attachmentFile(repositoryId, uuid)));
  await table.removeAll(items.map(({ uuid }) => addressKey(uuid)));
  await table.removeAll(items);
  return { hasFound: items.length > 0, hasMore: next !== undefined };
}
