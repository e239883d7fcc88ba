import type { TokenGrant } from "../actor.ts";
import { padded } from "../ids.ts";
import { repositoryPartition } from "../repository/repository.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/** A ref of a bundle that was not taken, and why. */
export interface RefusedRef {
  readonly name: string;
  readonly refusal: string;
}

/** A bundle that a user brings to a repository: one of each user at a time. Times are whole seconds. */
export interface Import extends Item {
  readonly repositoryId: number;
  readonly userId: number;
  /** Tells this upload's objects from those of the user's earlier ones. */
  readonly uploadId: string;
  readonly sizeBytes: number;
  /** All parts but the last have so many bytes. */
  readonly partBytes: number;
  /** Open: parts may come. Waiting: a job takes the bundle in. */
  readonly state: "open" | "waiting" | "done" | "failed";
  /** What the credential allows with which the bundle was completed. */
  readonly grant?: TokenGrant;
  readonly sudoBy?: number;
  /** A hash of what the password was then, in place of a grant. */
  readonly passwordMark?: string;
  /** Runs of the job that began. */
  readonly attempts: number;
  /** Why it failed, or what was not taken; absent: nothing. */
  readonly problem?: string;
  /** Refs that landed; those that did not, the first of them with their reasons. */
  readonly landed: number;
  readonly refusedCount: number;
  readonly refused: readonly RefusedRef[];
  readonly createdAt: number;
  /** No part is taken after this. */
  readonly until: number;
  /** 0 before its end. */
  readonly endedAt: number;
  /** It is forgotten then. */
  readonly ttl: number;
  readonly v: number;
  readonly _v: 1;
}

/** Whose import, and where. */
export type ImportPlace = Pick<Import, "repositoryId" | "userId">;

export const importKey = ({ repositoryId, userId }: ImportPlace): TableKey => ({
  pk: repositoryPartition(repositoryId),
  sk: `IMPORT#${padded(userId)}`,
});

/** One upload of a bundle. */
export type ImportUpload = ImportPlace & Pick<Import, "uploadId">;

/** Where the parts lie: with what the table doesn't name, so that the bucket's own rules find what is left there. */
export const importObjects = ({ repositoryId, userId, uploadId }: ImportUpload): string =>
  `q/imports/${repositoryId}/${userId}/${uploadId}/`;

/** A part of a bundle, numbered from 1. */
export interface ImportPart {
  readonly number: number;
  readonly sizeBytes: number;
  readonly objectKey: string;
}

/** All parts of a bundle, in their order. */
export function importParts(bundle: ImportUpload & Pick<Import, "sizeBytes" | "partBytes">): ImportPart[] {
  const { sizeBytes, partBytes } = bundle;
  const prefix = importObjects(bundle);
  return Array.from({ length: Math.ceil(sizeBytes / partBytes) }, (_, at) => ({
    number: at + 1,
    sizeBytes: Math.min(partBytes, sizeBytes - at * partBytes),
    objectKey: `${prefix}${padded(at + 1, 5)}`,
  }));
}
