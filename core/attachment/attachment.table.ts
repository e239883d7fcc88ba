import { padded } from "../ids.ts";
import { repositoryPartition } from "../repository/repository.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/** An issue or pull, or a comment on one (`commentId` is 0 for none). */
export interface IssueTarget {
  readonly kind: "issue";
  readonly number: number;
  readonly commentId: number;
}

/** The thing an attachment belongs to; a release by its number. */
export type AttachmentTarget = IssueTarget | { readonly kind: "release"; readonly number: number };

/** A file that was uploaded. It counts as long as its target names its id. */
export interface Attachment extends Item {
  /** Unique in the instance. */
  readonly id: number;
  /** In its address: not to be guessed. */
  readonly uuid: string;
  readonly repositoryId: number;
  readonly target: AttachmentTarget;
  readonly uploaderId: number;
  readonly name: string;
  /** The file lies elsewhere: its address. */
  readonly externalUrl?: string;
  /** 0 when it lies elsewhere. */
  readonly sizeBytes: number;
  /** By its first bytes, whatever the uploader says. */
  readonly contentType: string;
  /** How often it was downloaded. */
  readonly downloads: number;
  /** Whole seconds. */
  readonly createdAt: number;
  readonly _v: 1;
}

/** What an address leads to. While its file is awaited: its purpose, and until when (milliseconds). */
export interface AttachmentAddress extends Item {
  readonly repositoryId: number;
  /** Absent while the file is awaited. */
  readonly id?: number;
  readonly awaited?: AwaitedFile;
  /** The awaited file is being uploaded, or was: a second upload is refused. */
  readonly isBeingPut?: true;
  readonly _v: 1;
}

/** A file that is awaited under an address outside the API. */
export interface AwaitedFile {
  readonly uploaderId: number;
  readonly target: AttachmentTarget;
  readonly name: string;
  readonly sizeBytes: number;
  readonly until: number;
}

/** The attachments of a repository, whatever they hang on. */
export const attachmentsPartition = (repositoryId: number): string =>
  `${repositoryPartition(repositoryId)}#AT`;
export const attachmentKey = (repositoryId: number, id: number): TableKey => ({
  pk: attachmentsPartition(repositoryId),
  sk: padded(id),
});
export const addressKey = (uuid: string): TableKey => ({ pk: `UUID#${uuid}`, sk: "#" });

/** The place of the bytes of a repository's attachments, and of one attachment. */
export const attachmentFiles = (repositoryId: number): string => `r/${repositoryId}/a/`;
export const attachmentFile = (repositoryId: number, uuid: string): string =>
  `${attachmentFiles(repositoryId)}${uuid}`;
