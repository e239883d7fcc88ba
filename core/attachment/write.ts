import type { Forge } from "../forge.ts";
import { randomId } from "../ids.ts";
import { dueWrite } from "../jobs/due.ts";
import { sizedThingRemoval, sizedThingWrite, usageWrites } from "../quota/usage.ts";
import type { Release } from "../release/release.table.ts";
import { absent, equals, exists } from "../table/condition.ts";
import { put, remove, type Write } from "../table/write.ts";
import { type Attachment, type AttachmentAddress, addressKey, attachmentKey } from "./attachment.table.ts";

/** Two kinds of sweeps: of files whose address nothing names, and of attachments whose target is gone. */
export const fileSweepKind = "attachment-files";
export const leftSweepKind = "attachments";

/** An object that may be without an attachment. */
export interface FileSweep {
  readonly repositoryId: number;
  readonly uuid: string;
}
/** Attachments whose target is certainly gone. */
export interface LeftSweep {
  readonly repositoryId: number;
  readonly ids: readonly number[];
}

/** Longer than any upload takes that is not awaited. */
export const uploadGraceMs = 24 * 3_600_000;
/** Readers who are downloading a removed file get it to its end. */
const downloadGraceMs = 3_600_000;

/** Schedules a look at an object: it is removed then if its address leads nowhere. */
export const sweepFileLater = (forge: Forge, file: FileSweep, waitMs: number): Write =>
  dueWrite(fileSweepKind, forge.clock.now() + waitMs, file.uuid, { ...file });

/** Changes the usage of the repository's owner when an attachment comes (1) or goes (-1). */
function attachmentUsageWrites(
  ownerId: number,
  { repositoryId, target, sizeBytes }: Attachment,
  by: 1 | -1,
): Write[] {
  const name = target.kind === "issue" ? "issueAttachments" : "releaseAttachments";
  return usageWrites([{ ownerId, repositoryId, name, bytes: by * sizeBytes, things: by }]);
}

/** The same when a release goes with all of its assets. */
export const assetsLeavingUsageWrites = (
  ownerId: number,
  { repositoryId, assets, assetBytes }: Pick<Release, "repositoryId" | "assets" | "assetBytes">,
): Write[] =>
  usageWrites([{ ownerId, repositoryId, name: "releaseAttachments", bytes: -assetBytes, things: -assets }]);

/** The writes that keep a new attachment, for the transaction in which something names it. */
export function attachmentAdditionWrites(
  ownerId: number,
  attachment: Attachment,
  isAwaited: boolean,
): Write[] {
  const { repositoryId, id, uuid } = attachment;
  const address: AttachmentAddress = { ...addressKey(uuid), repositoryId, id, _v: 1 };
  return [
    put(attachment, absent),
    put(address, isAwaited ? equals({ repositoryId, id: undefined }) : absent),
    sizedThingWrite(repositoryId, "attachments", attachment),
    ...attachmentUsageWrites(ownerId, attachment, 1),
  ];
}

/** The writes that remove an attachment, for the transaction after which nothing names it. Its file goes later. */
export const attachmentRemovalWrites = (forge: Forge, ownerId: number, attachment: Attachment): Write[] => [
  ...itemRemovalWrites(forge, attachment),
  ...attachmentUsageWrites(ownerId, attachment, -1),
];

/** The same once its target is gone: the assets of a release left the card together with it. */
export const leftAttachmentRemovalWrites = (
  forge: Forge,
  ownerId: number,
  attachment: Attachment,
): Write[] =>
  attachment.target.kind === "release"
    ? itemRemovalWrites(forge, attachment)
    : attachmentRemovalWrites(forge, ownerId, attachment);

function itemRemovalWrites(forge: Forge, attachment: Attachment): Write[] {
  const { repositoryId, id, uuid, externalUrl } = attachment;
  const file = { repositoryId, uuid };
  return [
    remove(attachmentKey(repositoryId, id), exists),
    remove(addressKey(uuid)),
    sizedThingRemoval(repositoryId, "attachments", attachment),
    ...(externalUrl === undefined ? [sweepFileLater(forge, file, downloadGraceMs)] : []),
  ];
}

/** For the transaction that removes the target of attachments: the next tick removes the attachments. */
export function attachmentLeavingWrites(
  forge: Forge,
  repositoryId: number,
  ids: readonly number[] = [],
): Write[] {
  if (ids.length === 0) return [];
  const left: LeftSweep = { repositoryId, ids };
  return [dueWrite(leftSweepKind, forge.clock.now(), randomId(), { ...left })];
}
