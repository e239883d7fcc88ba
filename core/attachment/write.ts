import { dueWrite } from "../due.ts";
import { notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { randomId } from "../ids.ts";
import { cardKey, type Repository, repositoryKey } from "../repository/repository.table.ts";
import { absent, equals, exists, put, remove, update, type Write } from "../table.ts";
import { type Attachment, type AttachmentAddress, addressKey, attachmentKey } from "./attachment.table.ts";

/** Files whose address nothing names go, and attachments that have lost what they hung on. */
export const fileSweepKind = "attachment-files";
export const leftSweepKind = "attachments";

/** An object that may be without an attachment. */
export interface FileSweep {
  readonly repositoryId: number;
  readonly uuid: string;
}
/** Attachments of which that is certain: what they hung on is gone. */
export interface LeftSweep {
  readonly repositoryId: number;
  readonly ids: readonly number[];
}

/** Longer than any upload takes that is not awaited. */
export const uploadGraceMs = 24 * 3_600_000;
/** Who downloads a file that is removed gets it to its end. */
const downloadGraceMs = 3_600_000;

/** Has an object looked at later: it goes if its address leads nowhere then. */
export const sweepFileLater = (forge: Forge, file: FileSweep, waitMs: number): Write =>
  dueWrite(fileSweepKind, forge.clock.now() + waitMs, file.uuid, { ...file });

/** On whose card a repository's attachments are counted now. NotFound once it is being deleted. */
export async function ownerIdOf({ table }: Forge, repositoryId: number): Promise<number> {
  const repository = await table.get<Repository>(repositoryKey(repositoryId));
  if (repository?.state !== "live") throw notFound("the repository was deleted meanwhile");
  return repository.ownerId;
}

/** The usage of the repository's owner, when an attachment comes (1) or goes (-1). */
const cardWrite = (ownerId: number, { repositoryId, sizeBytes }: Attachment, by: 1 | -1): Write =>
  update(
    cardKey(ownerId, repositoryId),
    { add: { issueAttachments: by, issueAttachmentBytes: by * sizeBytes, v: 1 } },
    exists,
  );

/** What keeps a new attachment, for the transaction in which something names it. */
export function additionWrites(ownerId: number, attachment: Attachment, isAwaited: boolean): Write[] {
  const { repositoryId, id, uuid } = attachment;
  const address: AttachmentAddress = { ...addressKey(uuid), repositoryId, id, _v: 1 };
  return [
    put(attachment, absent),
    put(address, isAwaited ? equals({ repositoryId, id: undefined }) : absent),
    cardWrite(ownerId, attachment, 1),
  ];
}

/** What removes one, for the transaction after which nothing names it; its file goes later. */
export const removalWrites = (forge: Forge, ownerId: number, attachment: Attachment): Write[] => [
  remove(attachmentKey(attachment.repositoryId, attachment.id), exists),
  remove(addressKey(attachment.uuid)),
  cardWrite(ownerId, attachment, -1),
  sweepFileLater(forge, { repositoryId: attachment.repositoryId, uuid: attachment.uuid }, downloadGraceMs),
];

/** For the transaction that removes what attachments hang on: the next tick removes them. */
export function leaveWrites(forge: Forge, repositoryId: number, ids: readonly number[] = []): Write[] {
  if (ids.length === 0) return [];
  const left: LeftSweep = { repositoryId, ids };
  return [dueWrite(leftSweepKind, forge.clock.now(), randomId(), { ...left })];
}
